import { useQuery } from '@tanstack/react-query'
import { useCurrentUser } from '@/features/session/use-session'
import { worklistQueries } from '../queries'
import type { WorkCount } from '../types'

/** Undefined until known, and for crew members. */
export function useWaitingCount(): WorkCount | undefined {
  const { orgId, role } = useCurrentUser()
  return useQuery({ ...worklistQueries.count(orgId), enabled: role !== 'crew' }).data
}
