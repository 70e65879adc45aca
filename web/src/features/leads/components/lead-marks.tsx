// What sets a lead apart from the rest, each as icon and word.
import { Badge } from '@/ui/badge'
import { isWaited } from '../lib/promise-words'
import type { LeadSummary } from '../queries'
import { PromiseMark } from './promise-mark'

type LeadMarksProps = { lead: LeadSummary; isArrival?: boolean }

export function LeadMarks({ lead, isArrival = false }: LeadMarksProps) {
  const { missedCalls } = lead
  const isAgain = lead.touchCount > 1
  if (!isArrival && !lead.heldReason && !lead.needsAttention && !isAgain && missedCalls === 0 && !isWaited(lead)) return null
  return (
    <span className="flex flex-wrap gap-1.5">
      {isArrival && <Badge tone="info" icon="sparkle" className="glow">Just in</Badge>}
      <PromiseMark lead={lead} />
      {lead.heldReason && <Badge tone="warning" icon="shield">Held</Badge>}
      {lead.needsAttention && <Badge tone="error" icon="alert">Needs attention</Badge>}
      {missedCalls > 0 && <Badge tone="secondary" icon="phone">{missedCalls === 1 ? 'Missed call' : `Called ${missedCalls}x`}</Badge>}
      {isAgain && <Badge tone="accent" icon="refresh">Asked {lead.touchCount} times</Badge>}
    </span>
  )
}
