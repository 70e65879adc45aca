// What runs by itself: the five switches, missed calls, the report, and how much is sent.
import { useQuery } from '@tanstack/react-query'
import { useCurrentUser } from '@/session/use-session'
import { QueryBoundary } from '@/ui/query-boundary'
import { TabSkeleton } from '../components/tab-skeleton'
import { settingsMessages } from '../messages'
import { settingsQueries } from '../queries'
import { CallsCard } from './calls-card'
import { PulseCard } from './pulse-card'
import { SendingCard } from './sending-card'
import { SwitchesCard } from './switches-card'

export function AutomationTab() {
  const { orgId, orgTimezone } = useCurrentUser()
  const settings = useQuery(settingsQueries.settings(orgId))
  return (
    <QueryBoundary query={settings} skeleton={<TabSkeleton />} errorText={settingsMessages.settingsFailed} timeZone={orgTimezone}>
      {({ switches, calls, sending, pulse }) => (
        <div className="grid items-start gap-4 lg:grid-cols-2">
          <div className="grid min-w-0 gap-4">
            <SwitchesCard switches={switches} />
            <SendingCard saved={sending} />
          </div>
          <div className="grid min-w-0 gap-4">
            <PulseCard saved={pulse} isOn={switches.kpiReporting} />
            <CallsCard saved={calls} />
          </div>
        </div>
      )}
    </QueryBoundary>
  )
}
