// Gives an invoice a new link, when the old one came into the wrong hands.
import { Button } from '@/ui/button'
import { Dialog } from '@/ui/dialog'
import { invoiceName, useRenewLink } from '../mutations'
import type { InvoiceView } from '../types'

export function LinkDialog({ invoice, onClose }: { invoice: InvoiceView; onClose: () => void }) {
  const renew = useRenewLink(invoice.id)
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
    <Dialog open onClose={onClose} title={`A new link for ${invoiceName(invoice)}?`} actions={actions}>
      <p>
        The link the customer has now, in their email and text too, stops working at once. The new one goes out when you
        send the invoice again or copy it yourself.
      </p>
    </Dialog>
  )
}
