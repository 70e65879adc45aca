// In the place of a panel whose data did not come: what is missing, in the product's words, and the way to ask again.
import { Button } from '@/ui/button'
import { EmptyState } from '@/ui/empty-state'

type UnavailableProps = { title: string; isRetrying: boolean; onRetry: () => void }

export function Unavailable({ title, isRetrying, onRetry }: UnavailableProps) {
  return (
    <div role="alert">
      <EmptyState
        icon="shield"
        title={title}
        action={
          <Button variant="secondary" icon="refresh" pending={isRetrying} onClick={onRetry}>
            Try again
          </Button>
        }
      />
    </div>
  )
}
