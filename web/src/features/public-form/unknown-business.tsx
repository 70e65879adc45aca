import { EmptyState } from '@/ui/empty-state'

export function UnknownBusiness() {
  return (
    <div role="status" className="glass-card mx-auto w-full max-w-2xl p-4 sm:p-6">
      <EmptyState icon="alert" title="No business has this address">
        <p>Please check the link. If a business gave it to you, ask them for a new one. Nothing was sent.</p>
      </EmptyState>
    </div>
  )
}
