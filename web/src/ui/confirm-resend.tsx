// Asks before a message is sent that may have arrived already, or that something speaks against.
import { t } from '@/lib/i18n'
import { BreakableAddress } from './breakable-address'
import { Button } from './button'
import { Dialog } from './dialog'

type ConfirmResendProps = {
  open: boolean
  /** The number or address, as it is shown. */ to: string
  /** False for a message to one's own people. */ isToCustomer: boolean
  /** What changed since it was written, as a clause. */ changed?: string | undefined
  onClose: () => void
  onConfirm: () => void
}

const DOUBT_TO_CUSTOMER = t(
  "We can't tell if this was delivered. Check with the customer before you send it again: it may arrive twice.",
)
const DOUBT_TO_STAFF = t("We can't tell if this was delivered. Sent again, it may arrive twice.")

export function ConfirmResend({ open, to, isToCustomer, changed, onClose, onConfirm }: ConfirmResendProps) {
  const isAgain = changed === undefined
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title={isAgain ? t('Send it again?') : t('Send anyway?')}
      actions={
        <>
          <Button variant="ghost" onClick={onClose}>
            {t('Cancel')}
          </Button>
          <Button icon="send" onClick={onConfirm}>
            {isAgain ? t('Send it again') : t('Send anyway')}
          </Button>
        </>
      }
    >
      {changed === undefined ? (
        <p>{isToCustomer ? DOUBT_TO_CUSTOMER : DOUBT_TO_STAFF}</p>
      ) : (
        <p>{t('Not sent: {changed}.', { changed })}</p>
      )}
      <p className="mt-2 text-muted">
        {t('It goes to')} <BreakableAddress>{to}</BreakableAddress>.
      </p>
    </Dialog>
  )
}
