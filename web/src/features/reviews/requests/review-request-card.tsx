import { lazy, Suspense, useState } from 'react'
import { Link } from 'react-router-dom'
import { formatDayTimeInSentence } from '@/lib/format/zone-time'
import { useOnline } from '@/lib/hooks/use-online'
import { t } from '@/lib/i18n'
import { paths } from '@/lib/paths'
import { Badge } from '@/ui/badge'
import { Button } from '@/ui/button'
import { Disclosure } from '@/ui/disclosure'
import { StatusLine } from '@/ui/status-line'
import {
  REQUEST_CAUSES,
  REQUEST_STATES,
  describeLastRequest,
  describeNextRequest,
  STEP_DISPLAYS,
  getStepName,
  describeStep,
} from '../lib/request-text'
import type { ReviewAsk, ReviewAskStep } from '../types'

const StopRequestsDialog = lazy(async () => ({ default: (await import('../actions/stop-dialog')).StopRequestsDialog }))

const SMALL_CLASS = 'min-h-11! px-3! text-note!'

type ClockContext = { timeZone: string; now: number }
type ReviewRequestCardProps = { ask: ReviewAsk; clock: ClockContext }

export function ReviewRequestCard({ ask, clock }: ReviewRequestCardProps) {
  const { customerId, customerName, jobId, jobNumber, cause, state, steps, canStop } = ask
  const { label, tone, icon } = REQUEST_STATES[state]
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
                  {t('Job #{number}', { number: jobNumber ?? '' })}
                </Link>
                ,{' '}
              </>
            )}
            {jobId ? REQUEST_CAUSES[cause].toLowerCase() : REQUEST_CAUSES[cause]}
          </p>
        </div>
        <Badge tone={tone} icon={icon} className="shrink-0">
          {label}
        </Badge>
      </div>
      <RequestStatus ask={ask} clock={clock} />
      {steps.length > 1 && (
        <Disclosure summary={t('All requests')}>
          <RequestSteps steps={steps} clock={clock} />
        </Disclosure>
      )}
      {canStop && <RequestActions ask={ask} />}
    </article>
  )
}

function RequestStatus({ ask, clock }: ReviewRequestCardProps) {
  const { clickedAt, reviewId, reason, why, customerId } = ask
  const [lastRequest, next] = [describeLastRequest(ask, clock), describeNextRequest(ask, clock)]
  return (
    <div className="grid gap-1.5">
      {lastRequest && (
        <StatusLine tone="neutral" icon="send" plain>
          {lastRequest}
        </StatusLine>
      )}
      {clickedAt && (
        <StatusLine tone="success" icon="external" plain>
          {t('Went on to your public reviews, {time}', {
            time: formatDayTimeInSentence(clickedAt, clock.timeZone, clock.now),
          })}
        </StatusLine>
      )}
      {/* The click is shown above with its time. */}
      {reason && !(why === 'clicked' && clickedAt) && (
        <StatusLine tone={reviewId ? 'success' : 'neutral'} icon={reviewId ? 'star' : 'info'}>
          {reason}
        </StatusLine>
      )}
      {next && (
        <StatusLine tone="info" icon="clock" plain>
          {next}
        </StatusLine>
      )}
      {reviewId && (
        <Link to={paths.review(reviewId)} className="text-link inline-flex min-h-11 w-fit items-center">
          {t('See their review')}
        </Link>
      )}
      {why === 'complaint' && (
        <Link to={paths.customer(customerId)} className="text-link inline-flex min-h-11 w-fit items-center">
          {t('Settle it on their record')}
        </Link>
      )}
    </div>
  )
}

function RequestSteps({ steps, clock }: { steps: readonly ReviewAskStep[]; clock: ClockContext }) {
  return (
    <ol aria-label={t('Requests')} className="mt-1 mb-3 grid gap-1.5">
      {steps.map((step) => {
        const { tone, icon } = STEP_DISPLAYS[step.state]
        return (
          <li key={step.step}>
            <StatusLine tone={tone} icon={icon} plain>
              {getStepName(step)}: {describeStep(step, clock)}
            </StatusLine>
          </li>
        )
      })}
    </ol>
  )
}

function RequestActions({ ask }: { ask: ReviewAsk }) {
  const isOnline = useOnline()
  const [asking, setAsking] = useState<'stop' | 'problem'>()
  return (
    <div className="flex flex-wrap gap-2">
      <Button variant="secondary" className={SMALL_CLASS} disabled={!isOnline} onClick={() => setAsking('stop')}>
        {t('Stop asking')}
      </Button>
      <Button variant="secondary" className={SMALL_CLASS} disabled={!isOnline} onClick={() => setAsking('problem')}>
        {t('There is a problem')}
      </Button>
      {asking && (
        <Suspense fallback={null}>
          <StopRequestsDialog ask={ask} isProblem={asking === 'problem'} onClose={() => setAsking(undefined)} />
        </Suspense>
      )}
    </div>
  )
}
