import { t } from '@/lib/i18n'
import { Button } from '@/ui/button'
import { Dialog } from '@/ui/dialog'
import { ApiError } from '@/api/client'
import { jobsMessages as texts } from '../messages'
import type { useChangeJobStatus } from '../mutations'

type MissingPhotosDialogProps = {
  open: boolean
  onClose: () => void
  onAddPhotos: () => void
  isOffice: boolean
  status: ReturnType<typeof useChangeJobStatus>
}

export function MissingPhotosDialog({ open, onClose, onAddPhotos, isOffice, status }: MissingPhotosDialogProps) {
  const serverError = status.error instanceof ApiError ? status.error.errors['photos'] : undefined
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title={t('Photos are missing')}
      actions={
        <>
          {isOffice && (
            <Button
              variant="ghost"
              pending={status.isPending}
              onClick={() =>
                status.mutate(
                  { change: { to: 'completed', force: true }, title: texts.status.done },
                  { onSuccess: onClose },
                )
              }
            >
              {t('Done without photos')}
            </Button>
          )}
          <Button
            icon="camera"
            onClick={() => {
              onClose()
              onAddPhotos()
            }}
          >
            {t('Add photos')}
          </Button>
        </>
      }
    >
      <p>{serverError}</p>
    </Dialog>
  )
}
