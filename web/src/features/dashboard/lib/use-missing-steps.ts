// What is still to set up; nothing in the demonstration, and nothing without a connection, where it cannot be opened.
import { useQuery } from '@tanstack/react-query'
import { isDemoMode } from '@/lib/demo'
import { useOnline } from '@/lib/hooks/use-online'
import { listMissingSteps, setupQueries, type SetupStep } from '@/features/guided-start/queries'
import { useCurrentUser } from '@/features/session/use-session'

export function useMissingSteps(): { isPending: boolean; missing: readonly SetupStep[] } {
  const { orgId } = useCurrentUser()
  const isOnline = useOnline()
  const setup = useQuery({ ...setupQueries.steps(orgId), enabled: !isDemoMode() })
  return { isPending: isOnline && setup.isLoading, missing: isOnline ? listMissingSteps(setup.data ?? []) : [] }
}
