// What went wrong under the hands of who is signed in, newest first.
import { useEffect, useSyncExternalStore } from 'react'
import { useCurrentUser } from '@/session/use-session'
import { errorsOf, keepErrorsFor, type KeptError, subscribeToErrors } from '@/ui/toast/kept-errors'

export function useKeptErrors(): readonly KeptError[] {
  const { id } = useCurrentUser()
  return useSyncExternalStore(subscribeToErrors, () => errorsOf(id))
}

/** How many of them nobody has read yet. */
export function useUnreadErrors(): number {
  return useKeptErrors().filter(({ isRead }) => !isRead).length
}

/** From the first staff screen on they are kept, until somebody else is signed in or signs out. */
export function useKeepErrors(): void {
  const { id } = useCurrentUser()
  useEffect(() => keepErrorsFor(id), [id])
}
