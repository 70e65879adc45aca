// Whether all of it works: tests that really send, the five tools, what stopped, and the addresses providers call; and the
// way out with everything.
import { inDemo } from '@/lib/demo'
import { useCurrentUser } from '@/session/use-session'
import { OfflineCard } from './offline-card'
import { RetentionCard } from './retention-card'
import { StatusCard } from './status-card'
import { StoppedCard } from './stopped-card'
import { TestsCard } from './tests-card'
import { WebhooksCard } from './webhooks-card'
import { YourDataCard } from './your-data-card'

export function ControlPanelTab() {
  const { role } = useCurrentUser()
  // The demonstration is reached by nobody's providers, and what stops on this install is no matter of its visitors.
  const isOwn = !inDemo()
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-4 lg:grid-cols-2">
      <div className="grid min-w-0 gap-4">
        <TestsCard />
        {isOwn && <WebhooksCard provider="twilio" />}
        {isOwn && <WebhooksCard provider="stripe" />}
      </div>
      <div className="grid min-w-0 gap-4">
        <StatusCard />
        {isOwn && role === 'owner' && <StoppedCard />}
        {isOwn && role === 'owner' && <YourDataCard />}
        {isOwn && role === 'owner' && <OfflineCard />}
        {isOwn && role === 'owner' && <RetentionCard />}
      </div>
    </div>
  )
}
