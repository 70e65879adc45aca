import { Button } from '@/ui/button'
import { Dialog } from '@/ui/dialog'
import { useRenewEstimateLink } from './mutations'
import type { EstimateView } from './types'

export function RenewEstimateLinkDialog({ estimate, onClose }: { estimate: EstimateView; onClose: () => void }) {
  const renew = useRenewEstimateLink(estimate)
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
    <Dialog open onClose={onClose} title={`A new link for ${estimate.number}?`} actions={actions}>
      <p>
        The link the customer has now, in their email and text too, stops working right away. The new one goes out when
        you send it again or copy it yourself.
      </p>
    </Dialog>
  )
}
