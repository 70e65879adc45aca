// A new version of the app that waits, and what to do to let it in.
import { useSyncExternalStore } from 'react'

let apply: (() => void) | undefined
const listeners = new Set<() => void>()

/** Called by the registration once a version waits. */
export function offerUpdate(onApply: () => void): void {
  apply = onApply
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
  }
}

/** What lets the waiting version in; undefined while there is none. */
export function useWaitingUpdate(): (() => void) | undefined {
  return useSyncExternalStore(subscribe, () => apply)
}

/** Forgets the offer, between two tests. */
export function forgetUpdate(): void {
  apply = undefined
  for (const listener of listeners) listener()
}
