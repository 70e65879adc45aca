// Control Panel topics that show more than one card.
import { isDemoMode } from '@/lib/demo'
import { useCurrentUser } from '@/features/session/use-session'
import { DataExportCard } from './data-export-card'
import { OfflineCard } from './offline-card'
import { RetentionCard } from './retention-card'
import { SystemStatusCard } from './status-card'
import { StoppedTasksCard } from './stopped-tasks-card'

export function SystemStatusPage() {
  const { role } = useCurrentUser()
  return (
    <>
      <SystemStatusCard />
      {/* Visitors of the demonstration do not see the install's stopped tasks. */}
      {!isDemoMode() && role === 'owner' && <StoppedTasksCard />}
    </>
  )
}

export function DataPage() {
  return (
    <>
      <DataExportCard />
      <RetentionCard />
      <OfflineCard />
    </>
  )
}
