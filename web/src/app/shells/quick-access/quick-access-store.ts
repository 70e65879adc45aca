// What is open of search, "+ New" and the list of shortcuts: one thing at a time.
import { useSyncExternalStore } from 'react'
import type { SharedCall } from '@/features/quick-add/shared-call'

export const NEW_RECORDS = ['lead', 'customer', 'estimate', 'job', 'invoice'] as const
export type NewRecord = (typeof NEW_RECORDS)[number]

export type OpenPart =
  | { part: 'palette' }
  | { part: 'menu' }
  | { part: 'shortcuts' }
  | { part: 'record'; record: NewRecord; shared?: SharedCall | undefined }

const listeners = new Set<() => void>()
let current: OpenPart | undefined

function replace(next: OpenPart | undefined): void {
  current = next
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
  }
}

export const quickAccess = {
  open: (next: OpenPart) => replace(next),
  /** Closes this part only: another may be open by the time a dialog says that it was closed. */
  close: (part: OpenPart['part']) => {
    if (current?.part === part) replace(undefined)
  },
}

export const useOpenPart = (): OpenPart | undefined => useSyncExternalStore(subscribe, () => current)
