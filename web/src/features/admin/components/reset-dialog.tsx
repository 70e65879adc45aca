import { t } from '@/lib/i18n'
import { Button } from '@/ui/button'
import { Dialog } from '@/ui/dialog'
import { adminMessages } from '../messages'
import { useForcePasswordReset } from '../mutations'
import type { Client } from '../queries'

const texts = adminMessages.clients

export function ResetDialog({ client: { id, email }, onClose }: { client: Client; onClose: () => void }) {
  const reset = useForcePasswordReset(onClose)
  const actions = (
    <>
      <Button variant="ghost" onClick={onClose}>
        {t('Cancel')}
      </Button>
      <Button
        variant="danger"
        icon="mail"
        pending={reset.isPending}
        pendingText={t('Sending...')}
        onClick={() => reset.mutate(id)}
      >
        {t('Send the link')}
      </Button>
    </>
  )
  return (
    <Dialog open onClose={onClose} title={texts.reset} actions={actions}>
      <p className="wrap-anywhere">{texts.resetAsk(email)}</p>
    </Dialog>
  )
}
