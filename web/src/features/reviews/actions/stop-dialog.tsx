import { t } from '@/lib/i18n'
import { Button } from '@/ui/button'
import { Dialog } from '@/ui/dialog'
import { useStopReviewRequests } from '../mutations'
import type { ReviewAsk } from '../types'

type StopRequestsDialogProps = { ask: ReviewAsk; isProblem: boolean; onClose: () => void }

export function StopRequestsDialog({ ask, isProblem, onClose }: StopRequestsDialogProps) {
  const stop = useStopReviewRequests(ask)
  return (
    <Dialog
      open
      onClose={onClose}
      title={
        isProblem
          ? t('There is a problem with {name}?', { name: ask.customerName })
          : t('Stop asking {name}?', { name: ask.customerName })
      }
      actions={
        <>
          <Button variant="ghost" onClick={onClose}>
            {t('Go on asking')}
          </Button>
          <Button
            variant="danger"
            icon={isProblem ? 'alert' : 'close'}
            pending={stop.isPending}
            pendingText={t('Stopping...')}
            onClick={() => stop.mutate(isProblem, { onSuccess: onClose })}
          >
            {isProblem ? t('There is a problem') : t('Stop asking')}
          </Button>
        </>
      }
    >
      {isProblem ? (
        <p>
          {t(
            'They get no further message about a review, and no one asks them again while the problem is on their record. Remove it there once it is settled.',
          )}
        </p>
      ) : (
        <p>
          {t(
            'They get no further message about a review of this work. The monthly report says that someone stopped it.',
          )}
        </p>
      )}
    </Dialog>
  )
}
