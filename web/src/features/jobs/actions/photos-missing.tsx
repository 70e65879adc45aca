// The business wants a photo before a job is done, and there is none yet.
import { Button } from '@/ui/button'
import { Dialog } from '@/ui/dialog'
import { ApiError } from '@/api/client'
import { jobsMessages as texts } from '../messages'
import type { useChangeStatus } from '../mutations'
import { goToFiles } from '../files/content-panel'

type PhotosMissingProps = {
  open: boolean
  onClose: () => void
  isOffice: boolean
  status: ReturnType<typeof useChangeStatus>
}

export function PhotosMissing({ open, onClose, isOffice, status }: PhotosMissingProps) {
  const said = status.error instanceof ApiError ? status.error.errors['photos'] : undefined
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title="Photos are missing"
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
              Done without photos
            </Button>
          )}
          <Button
            icon="camera"
            onClick={() => {
              onClose()
              goToFiles()
            }}
          >
            Add photos
          </Button>
        </>
      }
    >
      <p>{said}</p>
    </Dialog>
  )
}
