import { t } from '@/lib/i18n'
import { Button } from '@/ui/button'
import { Dialog } from '@/ui/dialog'
import { formatInvoiceName, useRenewInvoiceLink } from '../mutations'
import type { InvoiceView } from '../types'

export function RenewInvoiceLinkDialog({ invoice, onClose }: { invoice: InvoiceView; onClose: () => void }) {
  const renew = useRenewInvoiceLink(invoice.id)
  const actions = (
    <>
      <Button variant="ghost" onClick={onClose}>
        {t('Keep the old one')}
      </Button>
      <Button
        icon="refresh"
        pending={renew.isPending}
        pendingText={t('Making it...')}
        onClick={() => renew.mutate(undefined, { onSuccess: onClose })}
      >
        {t('Make a new link')}
      </Button>
    </>
  )
  return (
    <Dialog
      open
      onClose={onClose}
      title={t('A new link for {number}?', { number: formatInvoiceName(invoice) })}
      actions={actions}
    >
      <p>
        {t(
          'The link the customer has now, in their email and text too, stops working right away. The new one goes out when you send the invoice again or copy it yourself.',
        )}
      </p>
    </Dialog>
  )
}
