import { useQuery } from '@tanstack/react-query'
import { useCurrentUser } from '@/features/session/use-session'
import { worklistQueries } from '../queries'
import type { WorkCount } from '../types'
import { usePendingMarks } from './pending-marks'
import { withoutMarked } from './work-list-cache'

/** Undefined until known, and for crew members. Those whose mark waits on this device do not count. */
export function useWaitingCount(): WorkCount | undefined {
  const { orgId, role } = useCurrentUser()
  const { hiddenKeys } = usePendingMarks()
  const { data } = useQuery({ ...worklistQueries.count(orgId), enabled: role !== 'crew' })
  return data && withoutMarked(data, hiddenKeys.size)
}
