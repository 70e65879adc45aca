// Changes of the office that wait on this device, above every screen.
import { Suspense } from 'react'
import { useLocation } from 'react-router-dom'
import { lazyOptional } from '@/lib/lazy-optional'
import { paths } from '@/lib/paths'
import { useOutboxEntries } from '@/offline/outbox/use-outbox'

const OutboxStatusBar = lazyOptional(
  async () => (await import('@/features/crew/components/outbox-status-bar')).OutboxStatusBar,
)

export function PendingChanges() {
  const isAny = useOutboxEntries().length > 0
  const { pathname } = useLocation()
  // The crew's day has it.
  if (!isAny || pathname.startsWith(paths.today)) return null
  return (
    <Suspense fallback={null}>
      <div className="px-4 pt-2 lg:px-6">
        <OutboxStatusBar />
      </div>
    </Suspense>
  )
}
