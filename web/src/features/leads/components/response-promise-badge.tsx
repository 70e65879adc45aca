// Response deadline and waiting time; components of their own to limit re-renders.
import type { LeadSummary } from '@/domain/lead'
import { useNow } from '@/lib/hooks/use-now'
import { useCurrentUser } from '@/features/session/use-session'
import { t } from '@/lib/i18n'
import { Badge } from '@/ui/badge'
import {
  describeResponsePromise,
  formatDurationShort,
  getOpenPromise,
  isAwaitingResponse,
  type ResponsePromise,
} from '../lib/response-promise'

const TICK_MS = 15_000
const MINUTE_MS = 60_000

export function ResponsePromiseBadge({ lead }: { lead: LeadSummary }) {
  const promise = getOpenPromise(lead)
  return promise ? <PromiseCountdown promise={promise} /> : null
}

/** It reads nothing but this device's clock: without a network it goes on. */
function PromiseCountdown({ promise }: { promise: ResponsePromise }) {
  const { orgTimezone } = useCurrentUser()
  const { tone, icon, words: text } = describeResponsePromise(promise, useNow(TICK_MS), orgTimezone)
  return (
    <Badge tone={tone} icon={icon} className="tabular-nums">
      {text}
    </Badge>
  )
}

/** Where no time was promised. */
export function WaitingBadge({ lead }: { lead: LeadSummary }) {
  const { waitingSince, heldReason } = lead
  return waitingSince && !heldReason && !isAwaitingResponse(lead) ? <WaitingTime since={waitingSince} /> : null
}

function WaitingTime({ since }: { since: string }) {
  const now = useNow(MINUTE_MS)
  return (
    <Badge tone="warning" icon="clock" className="tabular-nums">
      {t('Waiting {duration}', { duration: formatDurationShort(now - Date.parse(since)) })}
    </Badge>
  )
}
