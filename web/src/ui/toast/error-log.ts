// Error log of one user: toasts disappear, the log keeps them. In memory only.
import { currentToasts, subscribeToToasts } from './toast-store'

export type LoggedError = {
  id: number
  title: string
  description: string | undefined
  /** Milliseconds. */
  at: number
  isRead: boolean
}

export const ERROR_LOG_LIMIT = 50

const NONE: readonly LoggedError[] = []

let owner: string | undefined
/** Newest first. */
let loggedErrors = NONE
let lastToastId = 0
let unsubscribe: (() => void) | undefined
const listeners = new Set<() => void>()

function publish(next: readonly LoggedError[]): void {
  if (next === loggedErrors) return
  loggedErrors = next
  for (const listener of listeners) listener()
}

function recordToasts(): void {
  const [newest] = currentToasts()
  if (!newest || newest.id <= lastToastId) return
  lastToastId = newest.id
  if (newest.variant !== 'destructive') return
  const { id, title, description } = newest
  publish([{ id, title, description, at: Date.now(), isRead: false }, ...loggedErrors].slice(0, ERROR_LOG_LIMIT))
}

/** Drops the log of another user. */
export function startErrorLog(accountId: string): void {
  if (accountId === owner) return
  stopErrorLog()
  owner = accountId
  lastToastId = currentToasts()[0]?.id ?? 0
  unsubscribe = subscribeToToasts(recordToasts)
}

/** Stops and clears. */
export function stopErrorLog(): void {
  unsubscribe?.()
  unsubscribe = undefined
  owner = undefined
  publish(NONE)
}

export function markErrorsRead(): void {
  publish(loggedErrors.map((error) => (error.isRead ? error : { ...error, isRead: true })))
}

export function clearErrors(): void {
  publish(NONE)
}

/** For useSyncExternalStore. */
export function subscribeToErrors(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Newest first; empty for other users. Same array until a change. */
export function getLoggedErrors(accountId: string): readonly LoggedError[] {
  return accountId === owner ? loggedErrors : NONE
}
