// The errors that toasts have said, kept for who is signed in: a toast is gone after seconds, and the next takes its place.
// In this tab's memory alone; nothing of it is written to the device.
import { currentToasts, subscribeToToasts } from './toast-store'

export type KeptError = {
  id: number
  title: string
  description: string | undefined
  /** When it was said, in milliseconds. */
  at: number
  isRead: boolean
}

/** Older ones give way. */
export const KEPT_ERRORS_LIMIT = 50

const NONE: readonly KeptError[] = []

let owner: string | undefined
/** Newest first. */
let kept = NONE
let lastHeard = 0
let stopHearing: (() => void) | undefined
const listeners = new Set<() => void>()

function publish(next: readonly KeptError[]): void {
  if (next === kept) return
  kept = next
  for (const listener of listeners) listener()
}

function hear(): void {
  const [newest] = currentToasts()
  if (!newest || newest.id <= lastHeard) return
  lastHeard = newest.id
  if (newest.variant !== 'destructive') return
  const { id, title, description } = newest
  publish([{ id, title, description, at: Date.now(), isRead: false }, ...kept].slice(0, KEPT_ERRORS_LIMIT))
}

/** Keeps what goes wrong from now on for this person; what was kept for another is gone. */
export function keepErrorsFor(accountId: string): void {
  if (accountId === owner) return
  forgetErrors()
  owner = accountId
  lastHeard = currentToasts()[0]?.id ?? 0
  stopHearing = subscribeToToasts(hear)
}

/** Keeps nothing any more, and forgets what was kept: whoever comes next on this device must not read it. */
export function forgetErrors(): void {
  stopHearing?.()
  stopHearing = undefined
  owner = undefined
  publish(NONE)
}

export function markErrorsRead(): void {
  publish(kept.map((error) => (error.isRead ? error : { ...error, isRead: true })))
}

export function clearErrors(): void {
  publish(NONE)
}

/** For useSyncExternalStore. */
export function subscribeToErrors(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** What is kept for this person, newest first; nothing for anybody else. The same array until something changes. */
export function errorsOf(accountId: string): readonly KeptError[] {
  return accountId === owner ? kept : NONE
}
