// The minute after a held request was let through, in which that can be taken back.
import { Button } from '@/ui/button'
import { Notice } from '@/ui/notice'
import { useUntil } from '@/lib/hooks/use-until'
import { useHoldLead } from '../mutations'
import type { LeadDetail } from '../queries'

/** As long as the server waits with the replies. */
const UNDO_MS = 60_000

function releasedAt(lead: LeadDetail): number | undefined {
  const released = lead.decisions
    .filter((decision) => decision.event === 'lead_released')
    .map((decision) => Date.parse(decision.at))
  return released.length === 0 ? undefined : Math.max(...released)
}

export function ReleasedBanner({ lead }: { lead: LeadDetail }) {
  const at = releasedAt(lead)
  const isOpen = useUntil((at ?? 0) + UNDO_MS)
  const hold = useHoldLead(lead.id)
  if (at === undefined || lead.heldReason || !isOpen) return null
  return (
    <Notice tone="info" icon="clock" title="Let through">
      <p>The automatic replies leave within a minute.</p>
      <Button
        className="mt-3"
        variant="secondary"
        pending={hold.isPending}
        pendingText="Holding it..."
        onClick={() => hold.mutate()}
      >
        Hold it again
      </Button>
    </Notice>
  )
}
