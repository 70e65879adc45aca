// Error log of the signed-in user.
import { useEffect, useSyncExternalStore } from 'react'
import { useCurrentUser } from '@/features/session/use-session'
import { getLoggedErrors, startErrorLog, type LoggedError, subscribeToErrors } from '@/ui/toast/error-log'

export function useErrorLog(): readonly LoggedError[] {
  const { id } = useCurrentUser()
  return useSyncExternalStore(subscribeToErrors, () => getLoggedErrors(id))
}

export function useUnreadErrorCount(): number {
  return useErrorLog().filter(({ isRead }) => !isRead).length
}

/** Records from the first staff screen until logout. */
export function useErrorLogRecorder(): void {
  const { id } = useCurrentUser()
  useEffect(() => startErrorLog(id), [id])
}
