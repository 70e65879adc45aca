import type { LeadSummary } from '@/domain/lead'
import { useCurrentUser } from '@/features/session/use-session'
import { Badge } from '@/ui/badge'
import { isAwaitingResponse } from '../lib/response-promise'
import { ResponsePromiseBadge, WaitingBadge } from './response-promise-badge'

type LeadBadgesProps = { lead: LeadSummary; isArrival?: boolean }

export function LeadBadges({ lead, isArrival = false }: LeadBadgesProps) {
  const { id } = useCurrentUser()
  const { missedCalls } = lead
  const isMine = lead.ownerUserId === id
  // "Called 4x" says it where each was a call.
  const isAgain = lead.touchCount > Math.max(missedCalls, 1)
  if (
    !isArrival &&
    !lead.heldReason &&
    !lead.needsAttention &&
    !isAgain &&
    missedCalls === 0 &&
    !isMine &&
    !isAwaitingResponse(lead) &&
    !lead.waitingSince
  )
    return null
  return (
    <span className="flex flex-wrap gap-1.5">
      {isArrival && (
        <Badge tone="info" icon="sparkle" className="glow">
          Just in
        </Badge>
      )}
      <ResponsePromiseBadge lead={lead} />
      <WaitingBadge lead={lead} />
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
          Got in touch {lead.touchCount} times
        </Badge>
      )}
    </span>
  )
}
