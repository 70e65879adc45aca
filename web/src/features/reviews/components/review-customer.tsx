// Matched customer, a name suggestion, or the match button.
import { lazy, Suspense, useState } from 'react'
import { Link } from 'react-router-dom'
import { useOnline } from '@/lib/hooks/use-online'
import { t } from '@/lib/i18n'
import { paths } from '@/lib/paths'
import { Button } from '@/ui/button'
import { Icon } from '@/ui/icon'
import { useMatchReview } from '../mutations'
import type { Review, ReviewMatch } from '../types'

const MatchReviewDialog = lazy(async () => ({ default: (await import('../actions/match-dialog')).MatchReviewDialog }))

/** How it was found; a new way in the API breaks the build here. */
const MATCH_LABELS = {
  request: t('came by your link'),
  phone: t('known by their phone'),
  email: t('known by their email'),
  person: t('chosen manually'),
  nobody: '',
} as const satisfies Record<ReviewMatch, string>

type Suggestion = NonNullable<Review['suggestion']>

export function ReviewCustomer({ review }: { review: Review }) {
  const isOnline = useOnline()
  const [isChoosing, setIsChoosing] = useState(false)
  const choose = () => setIsChoosing(true)
  const { matched, suggestion } = review
  return (
    <>
      {!matched && suggestion && (
        <MatchQuestion review={review} suggestion={suggestion} isOnline={isOnline} onChoose={choose} />
      )}
      {(matched || !suggestion) && (
        <div className="-my-1.5 flex items-start justify-between gap-x-3">
          <MatchedCustomer review={review} />
          <Button
            variant="ghost"
            className="-mr-2 min-h-11! shrink-0 px-2! text-note! text-primary!"
            disabled={!isOnline}
            onClick={choose}
          >
            {matched ? t('Change') : t('Choose the customer')}
          </Button>
        </div>
      )}
      {isChoosing && (
        <Suspense fallback={null}>
          <MatchReviewDialog review={review} onClose={() => setIsChoosing(false)} />
        </Suspense>
      )}
    </>
  )
}

function MatchedCustomer({ review: { matched, customerId, customerName, jobId, jobNumber } }: { review: Review }) {
  if (!matched || !customerId)
    return (
      <p className="flex min-h-11 items-center text-note whitespace-nowrap text-muted">
        {matched ? t('None of your customers') : t('Customer unknown')}
      </p>
    )
  return (
    <p className="flex min-w-0 flex-wrap items-center gap-x-2 text-note text-muted">
      <Link
        to={paths.customer(customerId)}
        className="text-link inline-flex min-h-11 items-center gap-1.5 wrap-anywhere"
      >
        <Icon name="user" className="size-4" />
        {customerName ?? t('Customer')}
      </Link>
      {jobId && (
        <Link
          to={paths.job(jobId)}
          className="text-link inline-flex min-h-11 items-center whitespace-nowrap tabular-nums"
        >
          {t('Job #{number}', { number: jobNumber ?? '' })}
        </Link>
      )}
      <span>{MATCH_LABELS[matched]}</span>
    </p>
  )
}

type QuestionProps = { review: Review; suggestion: Suggestion; isOnline: boolean; onChoose: () => void }

function MatchQuestion({
  review,
  suggestion: { customerId, name, jobId = null, jobNumber },
  isOnline,
  onChoose,
}: QuestionProps) {
  const match = useMatchReview(review.id)
  const isYes = match.isPending && match.variables.customerId !== null
  return (
    <div
      role="group"
      aria-label={t('Is this {name}?', { name })}
      className="grid gap-2 rounded-field border border-warning/45 bg-warning/8 p-3"
    >
      <p>
        <span className="font-semibold">
          {t('Is this')}{' '}
          <Link to={paths.customer(customerId)} className="text-link">
            {name}
          </Link>
          ?
        </span>{' '}
        <span className="text-note text-muted">
          {t('The same name')}
          {jobId && jobNumber ? (
            <>
              {t(', job')}{' '}
              <Link to={paths.job(jobId)} className="text-link tabular-nums">
                #{jobNumber}
              </Link>
            </>
          ) : (
            ''
          )}
          .
        </span>
      </p>
      <div className="flex flex-wrap gap-2">
        <Button
          icon="check"
          disabled={!isOnline || match.isPending}
          pending={isYes}
          onClick={() => match.mutate({ customerId, jobId, name })}
        >
          {t('Yes')}
        </Button>
        <Button
          variant="secondary"
          icon="close"
          disabled={!isOnline || match.isPending}
          pending={match.isPending && !isYes}
          onClick={() => match.mutate({ customerId: null, jobId: null, name })}
        >
          {t('No')}
        </Button>
        <Button variant="ghost" disabled={!isOnline || match.isPending} onClick={onChoose}>
          {t('Someone else')}
        </Button>
      </div>
    </div>
  )
}
