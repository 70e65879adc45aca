import { t } from '@/lib/i18n'
import { Button } from '@/ui/button'
import { Dialog } from '@/ui/dialog'

type ConfirmRemoveDialogProps = {
  open: boolean
  title: string
  verb: string
  isPending: boolean
  onClose: () => void
  onSure: () => void
  children: string
}

export function ConfirmRemoveDialog({
  open,
  title,
  verb,
  isPending,
  onClose,
  onSure,
  children,
}: ConfirmRemoveDialogProps) {
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title={title}
      actions={
        <>
          <Button variant="ghost" onClick={onClose}>
            {t('Keep')}
          </Button>
          <Button variant="danger" pending={isPending} onClick={onSure}>
            {verb}
          </Button>
        </>
      }
    >
      <p>{children}</p>
    </Dialog>
  )
}
