import { Button } from '@/ui/button'
import { Dialog } from '@/ui/dialog'
import { useRemoveFile } from '../file-mutations'
import type { AutomatedFile } from '../types'

type RemoveFileDialogProps = { open: boolean; onClose: () => void; jobId: string; file: AutomatedFile }

export function RemoveFileDialog({ open, onClose, jobId, file }: RemoveFileDialogProps) {
  const remove = useRemoveFile(jobId)
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title="Remove this file?"
      actions={
        <>
          <Button variant="ghost" onClick={onClose}>
            Keep it
          </Button>
          <Button
            variant="danger"
            icon="trash"
            pending={remove.isPending}
            pendingText="Removing..."
            onClick={() => remove.mutate(file.id, { onSuccess: onClose })}
          >
            Remove
          </Button>
        </>
      }
    >
      <p className="wrap-anywhere">{file.name} is taken from this job for everybody.</p>
    </Dialog>
  )
}
