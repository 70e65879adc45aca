import { Button } from '@/ui/button'
import { Dialog } from '@/ui/dialog'
import { reviewsMessages as texts } from '../messages'
import { useRemoveReview } from '../mutations'
import type { Review } from '../types'

export function RemoveReviewDialog({ review, onClose }: { review: Review; onClose: () => void }) {
  const remove = useRemoveReview()
  return (
    <Dialog
      open
      onClose={onClose}
      title="Remove this review?"
      actions={
        <>
          <Button variant="ghost" onClick={onClose}>
            Keep
          </Button>
          <Button
            variant="danger"
            icon="trash"
            pending={remove.isPending}
            pendingText="Removing..."
            onClick={() => remove.mutate(review.id, { onSuccess: onClose })}
          >
            Remove review
          </Button>
        </>
      }
    >
      <p>
        The review of {review.customer_name ?? texts.anonymous} was{' '}
        {review.way === 'csv' ? 'imported from a list' : 'typed in'}. Once it is removed it no longer counts. Where it
        is public, it stays.
      </p>
    </Dialog>
  )
}
