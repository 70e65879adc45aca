// Whether all of it works: tests that really send, the five tools, what stopped, and the addresses Twilio calls.
import { useCurrentUser } from '@/session/use-session'
import { StatusCard } from './status-card'
import { StoppedCard } from './stopped-card'
import { TestsCard } from './tests-card'
import { WebhooksCard } from './webhooks-card'

export function ControlPanelTab() {
  const { role } = useCurrentUser()
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-4 lg:grid-cols-2">
      <div className="grid min-w-0 gap-4">
        <TestsCard />
        <WebhooksCard />
      </div>
      <div className="grid min-w-0 gap-4">
        <StatusCard />
        {role === 'owner' && <StoppedCard />}
      </div>
    </div>
  )
}
