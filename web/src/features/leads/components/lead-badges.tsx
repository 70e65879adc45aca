import type { LeadSummary } from '@/domain/lead'
import { useCurrentUser } from '@/features/session/use-session'
import { t } from '@/lib/i18n'
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
          {t('Just in')}
        </Badge>
      )}
      <ResponsePromiseBadge lead={lead} />
      <WaitingBadge lead={lead} />
      {lead.heldReason && (
        <Badge tone="warning" icon="shield">
          {t('Held')}
        </Badge>
      )}
      {lead.needsAttention && (
        <Badge tone="error" icon="alert">
          {t('Needs attention')}
        </Badge>
      )}
      {missedCalls > 0 && (
        <Badge tone="secondary" icon="phone">
          {missedCalls === 1 ? t('Missed call') : t('Called {count}x', { count: missedCalls })}
        </Badge>
      )}
      {isMine && (
        <Badge tone="accent" icon="user">
          {t('Yours')}
        </Badge>
      )}
      {isAgain && (
        <Badge tone="accent" icon="refresh">
          {t('Got in touch {count} times', { count: lead.touchCount })}
        </Badge>
      )}
    </span>
  )
}
