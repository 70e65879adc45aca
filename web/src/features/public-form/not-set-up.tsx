import { Button } from '@/ui/button'
import { EmptyState } from '@/ui/empty-state'

type NotSetUpProps = { isChecking: boolean; onCheckAgain: () => void }

export function NotSetUp({ isChecking, onCheckAgain }: NotSetUpProps) {
  return (
    <div role="status" className="glass-card mb-5">
      <EmptyState
        icon="wrench"
        title="This business is not set up yet"
        action={
          <Button variant="secondary" icon="refresh" pending={isChecking} onClick={onCheckAgain}>
            Check again
          </Button>
        }
      >
        <p>
          No one takes requests at this address yet. If a business gave you this link, please let them know. What you
          type below stays here, so you can send it as soon as they are ready.
        </p>
      </EmptyState>
    </div>
  )
}
