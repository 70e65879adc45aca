// Test of call forwarding: waits until a call has arrived since the test began.
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { Schema } from '@/api/client'
import { useFallbackPoll } from '@/lib/live-state'
import { useCurrentUser } from '@/features/session/use-session'
import { Button } from '@/ui/button'
import { Notice } from '@/ui/notice'
import { Spinner } from '@/ui/spinner'
import { numberSetupMessages } from './messages'
import { numberQueries } from './queries'

const texts = numberSetupMessages.forward

/** The address at which calls arrive, as the server names it. */
const CALLS = 'Calls'
/** Calls ring up to half a minute, and dialing takes a while. */
const PATIENCE_MS = 120_000

/** When a call last arrived; null before the first. */
function getLastCall(status: Schema['WebhookStatus'] | undefined): string | null {
  return status?.twilio.addresses.find(({ name }) => name === CALLS)?.lastReceivedAt ?? null
}

type TestRun = { before: string | null }

export function ForwardingTest() {
  const { orgId } = useCurrentUser()
  const client = useQueryClient()
  const [run, setRun] = useState<TestRun>()
  const [isLate, setLate] = useState(false)
  // The call is a live event.
  const poll = useFallbackPoll()
  const status = useQuery({
    ...numberQueries.webhooks(orgId),
    enabled: run !== undefined,
    refetchInterval: (query) => (run && getLastCall(query.state.data) !== run.before ? false : poll),
  })
  const hasArrived = run !== undefined && status.data !== undefined && getLastCall(status.data) !== run.before
  const isWaiting = run !== undefined && !hasArrived

  useEffect(() => {
    if (!run || hasArrived) return undefined
    const timer = setTimeout(() => setLate(true), PATIENCE_MS)
    return () => clearTimeout(timer)
  }, [run, hasArrived])

  const start = async () => {
    // Calls before the test do not count.
    const now = await client.fetchQuery(numberQueries.webhooks(orgId))
    setLate(false)
    setRun({ before: getLastCall(now) })
  }
  return (
    <section aria-label={texts.test} className="grid gap-3">
      <h4 className="font-semibold">{texts.test}</h4>
      <p className="text-note text-muted">{texts.testAbout}</p>
      {isWaiting && !isLate && (
        <p role="status" className="flex items-center gap-3">
          <Spinner size="small" />
          {texts.waiting}
        </p>
      )}
      {hasArrived && <Notice tone="success" title={texts.worked} />}
      {isWaiting && isLate && (
        <Notice tone="warning" title={texts.late}>
          <ul className="list-disc space-y-1 pl-5">
            {texts.tips.map((tip) => (
              <li key={tip}>{tip}</li>
            ))}
          </ul>
        </Notice>
      )}
      {(!isWaiting || isLate) && (
        <div>
          <Button onClick={() => void start().catch(() => undefined)}>{run ? texts.again : texts.start}</Button>
        </div>
      )}
    </section>
  )
}
