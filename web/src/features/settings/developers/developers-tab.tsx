// API keys and webhooks, for owners.
import { useCurrentUser } from '@/features/session/use-session'
import { EmptyState } from '@/ui/empty-state'
import { WebhooksCard } from './webhooks-card'
import { ApiKeysCard } from './api-keys-card'

export function DevelopersTab() {
  const { role } = useCurrentUser()
  if (role !== 'owner')
    return (
      <EmptyState icon="shield" title="This is for the owner">
        Keys and webhooks reach the whole business. Ask its owner.
      </EmptyState>
    )
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-4 lg:grid-cols-2">
      <ApiKeysCard />
      <WebhooksCard />
    </div>
  )
}
