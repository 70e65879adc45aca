// What sets a lead apart from the rest, each as icon and word.
import { useCurrentUser } from '@/session/use-session'
import { Badge } from '@/ui/badge'
import { isWaited } from '../lib/promise-words'
import type { LeadSummary } from '../queries'
import { PromiseMark } from './promise-mark'

type LeadMarksProps = { lead: LeadSummary; isArrival?: boolean }

export function LeadMarks({ lead, isArrival = false }: LeadMarksProps) {
  const { id } = useCurrentUser()
  const { missedCalls } = lead
  const isMine = lead.ownerUserId === id
  const isAgain = lead.touchCount > 1
  if (
    !isArrival &&
    !lead.heldReason &&
    !lead.needsAttention &&
    !isAgain &&
    missedCalls === 0 &&
    !isMine &&
    !isWaited(lead)
  )
    return null
  return (
    <span className="flex flex-wrap gap-1.5">
      {isArrival && (
        <Badge tone="info" icon="sparkle" className="glow">
          Just in
        </Badge>
      )}
      <PromiseMark lead={lead} />
      {lead.heldReason && (
        <Badge tone="warning" icon="shield">
          Held
        </Badge>
      )}
      {lead.needsAttention && (
        <Badge tone="error" icon="alert">
          Needs attention
        </Badge>
      )}
      {missedCalls > 0 && (
        <Badge tone="secondary" icon="phone">
          {missedCalls === 1 ? 'Missed call' : `Called ${missedCalls}x`}
        </Badge>
      )}
      {isMine && (
        <Badge tone="accent" icon="user">
          Yours
        </Badge>
      )}
      {isAgain && (
        <Badge tone="accent" icon="refresh">
          Asked {lead.touchCount} times
        </Badge>
      )}
    </span>
  )
}
