// One asking: of whom and for what, what has left, what comes next, why it ended, and the way to end it.
import { lazy, Suspense, useState } from 'react'
import { Link } from 'react-router-dom'
import { dayAndTimeWithin } from '@/lib/format/zone-time'
import { useOnline } from '@/lib/hooks/use-online'
import { paths } from '@/lib/paths'
import { Badge } from '@/ui/badge'
import { Button } from '@/ui/button'
import { Disclosure } from '@/ui/disclosure'
import { StateLine } from '@/ui/state-line'
import { ASK_CAUSES, ASK_STATES, askedWords, nextWords, STEP_LOOKS, stepName, stepWords } from '../lib/ask-words'
import type { Ask, AskStep } from '../types'

const StopDialog = lazy(async () => ({ default: (await import('../actions/stop-dialog')).StopDialog }))

const SMALL = 'min-h-11! px-3! text-note!'

type Clock = { timeZone: string; now: number }
type AskCardProps = { ask: Ask; clock: Clock }

export function AskCard({ ask, clock }: AskCardProps) {
  const { customerId, customerName, jobId, jobNumber, cause, state, steps, canStop } = ask
  const { label, tone, icon } = ASK_STATES[state]
  return (
    <article className="glass-card grid content-start gap-3 p-4">
      <div className="flex items-start justify-between gap-3">
        <div className="min-w-0">
          <h2 className="text-crew wrap-anywhere">
            <Link to={paths.customer(customerId)} className="inline-flex min-h-6 items-center hover:underline">
              {customerName}
            </Link>
          </h2>
          <p className="text-note text-muted">
            {jobId && (
              <>
                <Link to={paths.job(jobId)} className="text-link inline-flex min-h-6 items-center tabular-nums">
                  Job #{jobNumber}
                </Link>
                ,{' '}
              </>
            )}
            {jobId ? ASK_CAUSES[cause].toLowerCase() : ASK_CAUSES[cause]}
          </p>
        </div>
        <Badge tone={tone} icon={icon} className="shrink-0">
          {label}
        </Badge>
      </div>
      <Standing ask={ask} clock={clock} />
      {steps.length > 1 && (
        <Disclosure summary="All requests">
          <Steps steps={steps} clock={clock} />
        </Disclosure>
      )}
      {canStop && <Ways ask={ask} />}
    </article>
  )
}

function Standing({ ask, clock }: AskCardProps) {
  const { clickedAt, reviewId, reason, why, customerId } = ask
  const [asked, next] = [askedWords(ask, clock), nextWords(ask, clock)]
  return (
    <div className="grid gap-1.5">
      {asked && (
        <StateLine tone="neutral" icon="send" plain>
          {asked}
        </StateLine>
      )}
      {clickedAt && (
        <StateLine tone="success" icon="external" plain>
          Went on to your public reviews, {dayAndTimeWithin(clickedAt, clock.timeZone, clock.now)}
        </StateLine>
      )}
      {/* That they went on is told with its time above. */}
      {reason && !(why === 'clicked' && clickedAt) && (
        <StateLine tone={reviewId ? 'success' : 'neutral'} icon={reviewId ? 'star' : 'info'}>
          {reason}
        </StateLine>
      )}
      {next && (
        <StateLine tone="info" icon="clock" plain>
          {next}
        </StateLine>
      )}
      {reviewId && (
        <Link to={paths.review(reviewId)} className="text-link inline-flex min-h-11 w-fit items-center">
          See their review
        </Link>
      )}
      {why === 'complaint' && (
        <Link to={paths.customer(customerId)} className="text-link inline-flex min-h-11 w-fit items-center">
          Settle it on their record
        </Link>
      )}
    </div>
  )
}

function Steps({ steps, clock }: { steps: readonly AskStep[]; clock: Clock }) {
  return (
    <ol aria-label="Requests" className="mt-1 mb-3 grid gap-1.5">
      {steps.map((step) => {
        const { tone, icon } = STEP_LOOKS[step.state]
        return (
          <li key={step.step}>
            <StateLine tone={tone} icon={icon} plain>
              {stepName(step)}: {stepWords(step, clock)}
            </StateLine>
          </li>
        )
      })}
    </ol>
  )
}

function Ways({ ask }: { ask: Ask }) {
  const isOnline = useOnline()
  const [asking, setAsking] = useState<'stop' | 'problem'>()
  return (
    <div className="flex flex-wrap gap-2">
      <Button variant="secondary" className={SMALL} disabled={!isOnline} onClick={() => setAsking('stop')}>
        Stop asking
      </Button>
      <Button variant="secondary" className={SMALL} disabled={!isOnline} onClick={() => setAsking('problem')}>
        There is a problem
      </Button>
      {asking && (
        <Suspense fallback={null}>
          <StopDialog ask={ask} isProblem={asking === 'problem'} onClose={() => setAsking(undefined)} />
        </Suspense>
      )}
    </div>
  )
}
