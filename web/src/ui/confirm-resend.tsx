// Asks before a message is sent that may have arrived already, or that something speaks against.
import { BreakableAddress } from './breakable-address'
import { Button } from './button'
import { Dialog } from './dialog'

type ConfirmResendProps = {
  open: boolean
  /** The number or address, as it is shown. */ to: string
  /** What changed since it was written, as a clause. */ changed?: string | undefined
  onClose: () => void
  onConfirm: () => void
}

export function ConfirmResend({ open, to, changed, onClose, onConfirm }: ConfirmResendProps) {
  const verb = changed === undefined ? 'Send it again' : 'Send anyway'
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title={`${verb}?`}
      actions={
        <>
          <Button variant="ghost" onClick={onClose}>
            Cancel
          </Button>
          <Button icon="send" onClick={onConfirm}>
            {verb}
          </Button>
        </>
      }
    >
      {changed === undefined ? (
        <p>
          We do not know whether this message arrived: something broke off while it was being sent. Sent again, it may
          arrive twice.
        </p>
      ) : (
        <p>Not sent: {changed}.</p>
      )}
      <p className="mt-2 text-muted">
        It goes to <BreakableAddress>{to}</BreakableAddress>.
      </p>
    </Dialog>
  )
}
