// By when our words promised an answer. A component of its own, so that a tick draws nothing else anew.
import { useNow } from '@/lib/hooks/use-now'
import { useCurrentUser } from '@/session/use-session'
import { Badge } from '@/ui/badge'
import { promiseWords, type Promised, waitedPromise } from '../lib/promise-words'
import type { LeadSummary } from '../queries'

const TICK_MS = 15_000

export function PromiseMark({ lead }: { lead: LeadSummary }) {
  const promise = waitedPromise(lead)
  return promise ? <Ticking promise={promise} /> : null
}

/** It reads nothing but this device's clock: without a network it goes on. */
function Ticking({ promise }: { promise: Promised }) {
  const { orgTimezone } = useCurrentUser()
  const { tone, icon, words } = promiseWords(promise, useNow(TICK_MS), orgTimezone)
  return (
    <Badge tone={tone} icon={icon} className="tabular-nums">
      {words}
    </Badge>
  )
}
