// Gives an estimate a new link, when the old one came into the wrong hands.
import { Button } from '@/ui/button'
import { Dialog } from '@/ui/dialog'
import type { EstimateView } from '../queries'
import { useRenewLink } from './mutations'

type LinkDialogProps = { leadId: string; estimate: EstimateView; onClose: () => void }

export function LinkDialog({ leadId, estimate, onClose }: LinkDialogProps) {
  const renew = useRenewLink(leadId, estimate.id)
  const actions = (
    <>
      <Button variant="ghost" onClick={onClose}>Keep the old one</Button>
      <Button icon="refresh" pending={renew.isPending} pendingText="Making it..." onClick={() => renew.mutate(undefined, { onSuccess: onClose })}>Make a new link</Button>
    </>
  )
  return (
    <Dialog open onClose={onClose} title={`A new link for ${estimate.number}?`} actions={actions}>
      <p>The link the customer has now, in their email and text too, stops working at once. The new one goes out when you send the estimate again or copy it yourself.</p>
    </Dialog>
  )
}
