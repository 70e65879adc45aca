import { isDemoMode } from '@/lib/demo'
import { useCurrentUser } from '@/features/session/use-session'
import { OfflineCard } from './offline-card'
import { RetentionCard } from './retention-card'
import { SystemStatusCard } from './status-card'
import { StoppedTasksCard } from './stopped-tasks-card'
import { DeliveryTestsCard } from './delivery-tests-card'
import { ProviderWebhooksCard } from './provider-webhooks-card'
import { DataExportCard } from './data-export-card'

export function ControlPanelTab() {
  const { role } = useCurrentUser()
  // The demonstration has no provider calls, and its visitors do not see the install's stopped tasks.
  const isOwn = !isDemoMode()
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-4 lg:grid-cols-2">
      <div className="grid min-w-0 gap-4">
        <DeliveryTestsCard />
        {isOwn && <ProviderWebhooksCard provider="twilio" />}
        {isOwn && <ProviderWebhooksCard provider="stripe" />}
      </div>
      <div className="grid min-w-0 gap-4">
        <SystemStatusCard />
        {isOwn && role === 'owner' && <StoppedTasksCard />}
        {isOwn && role === 'owner' && <DataExportCard />}
        {isOwn && role === 'owner' && <OfflineCard />}
        {isOwn && role === 'owner' && <RetentionCard />}
      </div>
    </div>
  )
}
