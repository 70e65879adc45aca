import { t } from '@/lib/i18n'
import { Button } from '@/ui/button'
import { Dialog } from '@/ui/dialog'
import { reviewsMessages as texts } from '../messages'
import { useRemoveReview } from '../mutations'
import type { Review } from '../types'

export function RemoveReviewDialog({ review, onClose }: { review: Review; onClose: () => void }) {
  const remove = useRemoveReview()
  const name = review.customer_name ?? texts.anonymous
  return (
    <Dialog
      open
      onClose={onClose}
      title={t('Remove this review?')}
      actions={
        <>
          <Button variant="ghost" onClick={onClose}>
            {t('Keep')}
          </Button>
          <Button
            variant="danger"
            icon="trash"
            pending={remove.isPending}
            pendingText={t('Removing...')}
            onClick={() => remove.mutate(review.id, { onSuccess: onClose })}
          >
            {t('Remove review')}
          </Button>
        </>
      }
    >
      <p>
        {review.way === 'csv'
          ? t('The review of {name} was imported from a list.', { name })
          : t('The review of {name} was typed in.', { name })}{' '}
        {t('Once it is removed it no longer counts. Where it is public, it stays.')}
      </p>
    </Dialog>
  )
}
