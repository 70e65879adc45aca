// What runs by itself: the five switches, missed calls, reviews, the report, and how much is sent.
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense } from 'react'
import { useCurrentUser } from '@/session/use-session'
import { QueryBoundary } from '@/ui/query-boundary'
import { JumpList, Place } from '../components/jump-list'
import { TabSkeleton } from '../components/tab-skeleton'
import { settingsMessages } from '../messages'
import { settingsQueries } from '../queries'
import { PulseCard } from './pulse-card'
import { SendingCard } from './sending-card'
import { SwitchesCard } from './switches-card'

// What is not in sight at first comes after what is.
const CallsCard = lazy(async () => ({ default: (await import('./calls-card')).CallsCard }))
const ReviewRulesCard = lazy(async () => ({ default: (await import('./review-rules-card')).ReviewRulesCard }))
const HoldOutCard = lazy(async () => ({ default: (await import('./hold-out-card')).HoldOutCard }))
const ReviewKeyCard = lazy(async () => ({ default: (await import('./review-key-card')).ReviewKeyCard }))

const STOPS = [
  { id: 'sending', label: 'Sending' },
  { id: 'review-rules', label: 'Review requests' },
  { id: 'hold-out', label: 'Measured gain' },
  { id: 'review-key', label: 'Reviews from elsewhere' },
  { id: 'pulse', label: 'KPI report' },
  { id: 'calls', label: 'Missed calls' },
]

export function AutomationTab() {
  const { orgId, orgTimezone } = useCurrentUser()
  const settings = useQuery(settingsQueries.settings(orgId))
  return (
    <QueryBoundary
      query={settings}
      skeleton={<TabSkeleton />}
      errorText={settingsMessages.settingsFailed}
      timeZone={orgTimezone}
    >
      {({ switches, calls, sending, reviews, pulse, holdOut }) => (
        <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
          <JumpList stops={STOPS} />
          <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-4 lg:grid-cols-2">
            <div className="grid min-w-0 gap-4">
              <SwitchesCard switches={switches} />
              <Place id="sending">
                <SendingCard saved={sending} />
              </Place>
              <Place id="review-rules">
                <Suspense fallback={<TabSkeleton />}>
                  <ReviewRulesCard saved={reviews} />
                </Suspense>
              </Place>
              <Place id="hold-out">
                <Suspense fallback={<TabSkeleton />}>
                  <HoldOutCard saved={holdOut} />
                </Suspense>
              </Place>
              <Place id="review-key">
                <Suspense fallback={null}>
                  <ReviewKeyCard />
                </Suspense>
              </Place>
            </div>
            <div className="grid min-w-0 gap-4">
              <Place id="pulse">
                <PulseCard saved={pulse} isOn={switches.kpiReporting} />
              </Place>
              <Place id="calls">
                <Suspense fallback={<TabSkeleton />}>
                  <CallsCard saved={calls} />
                </Suspense>
              </Place>
            </div>
          </div>
        </div>
      )}
    </QueryBoundary>
  )
}
