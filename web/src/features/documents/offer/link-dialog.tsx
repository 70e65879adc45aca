import { Button } from '@/ui/button'
import { Dialog } from '@/ui/dialog'
import { useRenewOfferLink } from './mutations'
import type { Offer } from './types'

export function RenewOfferLinkDialog({ offer, onClose }: { offer: Offer; onClose: () => void }) {
  const renew = useRenewOfferLink(offer)
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
    <Dialog open onClose={onClose} title={`A new link for ${offer.number}?`} actions={actions}>
      <p>
        The link the customer has now, in their email and text too, stops working at once. The new one goes out when you
        send it again or copy it yourself.
      </p>
    </Dialog>
  )
}
