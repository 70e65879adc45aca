import { Button } from '@/ui/button'
import { Dialog } from '@/ui/dialog'
import { formatInvoiceName, useRenewInvoiceLink } from '../mutations'
import type { InvoiceView } from '../types'

export function RenewInvoiceLinkDialog({ invoice, onClose }: { invoice: InvoiceView; onClose: () => void }) {
  const renew = useRenewInvoiceLink(invoice.id)
  const actions = (
    <>
      <Button variant="ghost" onClick={onClose}>
        Keep the old one
      </Button>
      <Button
        icon="refresh"
        pending={renew.isPending}
        pendingText="Making it..."
        onClick={() => renew.mutate(undefined, { onSuccess: onClose })}
      >
        Make a new link
      </Button>
    </>
  )
  return (
    <Dialog open onClose={onClose} title={`A new link for ${formatInvoiceName(invoice)}?`} actions={actions}>
      <p>
        The link the customer has now, in their email and text too, stops working right away. The new one goes out when
        you send the invoice again or copy it yourself.
      </p>
    </Dialog>
  )
}
