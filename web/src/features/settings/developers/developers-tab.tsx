// What other programs have to do with the business: their keys, and the webhooks that tell them. For the owner alone.
import { useCurrentUser } from '@/session/use-session'
import { EmptyState } from '@/ui/empty-state'
import { HooksCard } from './hooks-card'
import { KeysCard } from './keys-card'

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
      <KeysCard />
      <HooksCard />
    </div>
  )
}
