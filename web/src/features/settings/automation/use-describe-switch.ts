// What a switch does while it is on, for this business.
import { useQuery } from '@tanstack/react-query'
import { useCurrentUser } from '@/features/session/use-session'
import { sendingNumberQuery } from '../organization/sending-number'
import { settingsQueries } from '../queries'
import type { SwitchName } from '../types'
import { describeSwitch } from './switches'

/** Job tracking is idle as the control panel has it: no job is booked and no visit message sent. */
export function useDescribeSwitch(): (name: SwitchName) => string {
  const { orgId } = useCurrentUser()
  const { data: number } = useQuery(sendingNumberQuery(orgId))
  const { data: tools } = useQuery(settingsQueries.systemStatus(orgId))
  const isIdle = tools?.some(({ tool, lastSuccessAt }) => tool === 'jobTracker' && !lastSuccessAt) ?? false
  return (name) => describeSwitch(name, number, isIdle)
}
