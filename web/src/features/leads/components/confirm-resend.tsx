// Asks before a message is sent that may have arrived already.
import { Breakable } from '@/ui/breakable'
import { Button } from '@/ui/button'
import { Dialog } from '@/ui/dialog'
import { leadsMessages } from '../messages'

type ConfirmResendProps = { open: boolean; to: string; onClose: () => void; onConfirm: () => void }

export function ConfirmResend({ open, to, onClose, onConfirm }: ConfirmResendProps) {
  const { confirmTitle, confirm } = leadsMessages.retry
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title={confirmTitle}
      actions={
        <>
          <Button variant="ghost" onClick={onClose}>Cancel</Button>
          <Button icon="send" onClick={onConfirm}>Send it again</Button>
        </>
      }
    >
      <p>{confirm}</p>
      <p className="mt-2 text-muted">It goes to <Breakable>{to}</Breakable>.</p>
    </Dialog>
  )
}
