import { t } from '@/lib/i18n'
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
      title={t('Remove this file?')}
      actions={
        <>
          <Button variant="ghost" onClick={onClose}>
            {t('Keep it')}
          </Button>
          <Button
            variant="danger"
            icon="trash"
            pending={remove.isPending}
            pendingText={t('Removing...')}
            onClick={() => remove.mutate(file.id, { onSuccess: onClose })}
          >
            {t('Remove')}
          </Button>
        </>
      }
    >
      <p className="wrap-anywhere">{t('{name} is taken from this job for everybody.', { name: file.name })}</p>
    </Dialog>
  )
}
