import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense } from 'react'
import { useCurrentUser } from '@/features/session/use-session'
import { QueryBoundary } from '@/ui/query-boundary'
import { SectionNav, SectionAnchor } from '../components/section-nav'
import { TabSkeleton } from '../components/tab-skeleton'
import { settingsMessages } from '../messages'
import { settingsQueries } from '../queries'
import { PulseCard } from './pulse-card'
import { SendingCard } from './sending-card'
import { TextsOffNotice } from './texts-off-notice'
import { AutomationSwitchesCard } from './switches-card'

// Lazy: initially out of view.
const CallsCard = lazy(async () => ({ default: (await import('./calls-card')).CallsCard }))
const ReviewRulesCard = lazy(async () => ({ default: (await import('./review-rules-card')).ReviewRulesCard }))
const HoldoutSettingsCard = lazy(async () => ({
  default: (await import('./holdout-settings-card')).HoldoutSettingsCard,
}))
const ReviewKeyCard = lazy(async () => ({ default: (await import('./review-key-card')).ReviewKeyCard }))

const SECTIONS = [
  { id: 'sending', label: 'Sending' },
  { id: 'review-rules', label: 'Review requests' },
  { id: 'holdout', label: 'Measured gain' },
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
          <SectionNav stops={SECTIONS} />
          <TextsOffNotice />
          <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-4 lg:grid-cols-2">
            <div className="grid min-w-0 gap-4">
              <AutomationSwitchesCard switches={switches} />
              <SectionAnchor id="sending">
                <SendingCard saved={sending} />
              </SectionAnchor>
              <SectionAnchor id="review-rules">
                <Suspense fallback={<TabSkeleton />}>
                  <ReviewRulesCard saved={reviews} />
                </Suspense>
              </SectionAnchor>
              <SectionAnchor id="holdout">
                <Suspense fallback={<TabSkeleton />}>
                  <HoldoutSettingsCard saved={holdOut} />
                </Suspense>
              </SectionAnchor>
              <SectionAnchor id="review-key">
                <Suspense fallback={null}>
                  <ReviewKeyCard />
                </Suspense>
              </SectionAnchor>
            </div>
            <div className="grid min-w-0 gap-4">
              <SectionAnchor id="pulse">
                <PulseCard saved={pulse} isOn={switches.kpiReporting} />
              </SectionAnchor>
              <SectionAnchor id="calls">
                <Suspense fallback={<TabSkeleton />}>
                  <CallsCard saved={calls} />
                </Suspense>
              </SectionAnchor>
            </div>
          </div>
        </div>
      )}
    </QueryBoundary>
  )
}
