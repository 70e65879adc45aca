// Asks before a message is sent that may have arrived already.
import { Breakable } from './breakable'
import { Button } from './button'
import { Dialog } from './dialog'

type ConfirmResendProps = { open: boolean; /** The number or address, as it is shown. */ to: string; onClose: () => void; onConfirm: () => void }

export function ConfirmResend({ open, to, onClose, onConfirm }: ConfirmResendProps) {
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title="Send it again?"
      actions={
        <>
          <Button variant="ghost" onClick={onClose}>Cancel</Button>
          <Button icon="send" onClick={onConfirm}>Send it again</Button>
        </>
      }
    >
      <p>We do not know whether this message arrived: something broke off while it was being sent. Sent again, it may arrive twice.</p>
      <p className="mt-2 text-muted">It goes to <Breakable>{to}</Breakable>.</p>
    </Dialog>
  )
}
