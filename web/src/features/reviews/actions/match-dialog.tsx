// Match of a review: customer first, then job.
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { serviceLabel } from '@/domain/lead'
import { formatDate } from '@/lib/format/date'
import { useDebounced } from '@/lib/hooks/use-debounced'
import { useCurrentUser } from '@/features/session/use-session'
import { t } from '@/lib/i18n'
import { Button } from '@/ui/button'
import { Dialog } from '@/ui/dialog'
import { QueryBoundary } from '@/ui/query-boundary'
import { SearchBox } from '@/ui/search-box'
import { SkeletonLines } from '@/ui/skeleton'
import { reviewsMessages as texts } from '../messages'
import { useMatchReview, type ReviewMatchChoice } from '../mutations'
import { reviewQueries } from '../queries'
import type { CustomerChoice, Review } from '../types'

const SEARCH_DEBOUNCE_MS = 250
const ROW =
  'w-full cursor-pointer rounded-field border border-primary/22 px-3 py-2 text-left wrap-anywhere hover:bg-primary/8 disabled:opacity-60'

type MatchReviewDialogProps = { review: Review; onClose: () => void }

export function MatchReviewDialog({ review, onClose }: MatchReviewDialogProps) {
  const [customer, setCustomer] = useState<CustomerChoice>()
  const match = useMatchReview(review.id)
  const choose = (whose: ReviewMatchChoice) => match.mutate(whose, { onSuccess: onClose })
  return (
    <Dialog
      open
      onClose={onClose}
      title={customer ? t('Which job of {name}?', { name: customer.name }) : t('Whose review is this?')}
    >
      {customer ? (
        <JobChoice
          customer={customer}
          isBusy={match.isPending}
          onChoose={choose}
          onBack={() => setCustomer(undefined)}
        />
      ) : (
        <CustomerList
          initialText={review.customer_name ?? ''}
          isBusy={match.isPending}
          onFound={setCustomer}
          onNobody={() => choose({ customerId: null, jobId: null, name: '' })}
        />
      )}
    </Dialog>
  )
}

type CustomersProps = {
  initialText: string
  isBusy: boolean
  onFound: (customer: CustomerChoice) => void
  onNobody: () => void
}

function CustomerList({ initialText, isBusy, onFound, onNobody }: CustomersProps) {
  const { orgId, orgTimezone } = useCurrentUser()
  const [text, setText] = useState(initialText)
  const found = useQuery(reviewQueries.customers(orgId, useDebounced(text.trim(), SEARCH_DEBOUNCE_MS)))
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-3">
      <SearchBox
        label={t('Search customers by name, phone or email')}
        placeholder={t('Name, phone or email')}
        value={text}
        onChange={setText}
      />
      <QueryBoundary
        query={found}
        skeleton={<SkeletonLines lines={4} />}
        errorText={texts.customersFailed}
        timeZone={orgTimezone}
      >
        {(customers) =>
          customers.length === 0 ? (
            <p role="status" className="text-muted">
              {t('No customers found.')}
            </p>
          ) : (
            <ul aria-label={t('Customers found')} className="grid gap-2">
              {customers.map((customer) => (
                <li key={customer.id}>
                  <button type="button" className={ROW} disabled={isBusy} onClick={() => onFound(customer)}>
                    <span className="block font-semibold">{customer.name}</span>
                    <span className="block text-note text-muted">
                      {[customer.phoneShown, customer.email].filter(Boolean).join(', ') || t('No phone or email')}
                    </span>
                  </button>
                </li>
              ))}
            </ul>
          )
        }
      </QueryBoundary>
      <Button variant="secondary" icon="close" pending={isBusy} onClick={onNobody}>
        {t('None of our customers')}
      </Button>
    </div>
  )
}

type JobsProps = {
  customer: CustomerChoice
  isBusy: boolean
  onChoose: (whose: ReviewMatchChoice) => void
  onBack: () => void
}

function JobChoice({ customer: { id, name }, isBusy, onChoose, onBack }: JobsProps) {
  const { orgId, orgTimezone } = useCurrentUser()
  const customer = useQuery(reviewQueries.customer(orgId, id))
  const of = (jobId: string | null) => () => onChoose({ customerId: id, jobId, name })
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-3">
      <QueryBoundary
        query={customer}
        skeleton={<SkeletonLines lines={3} />}
        errorText={texts.customersFailed}
        timeZone={orgTimezone}
      >
        {({ jobs }) => (
          <ul aria-label={t('Jobs of {name}', { name })} className="grid gap-2">
            {jobs.map((job) => (
              <li key={job.id}>
                <button type="button" className={ROW} disabled={isBusy} onClick={of(job.id)}>
                  <span className="block font-semibold">
                    {serviceLabel(job.service)} <span className="tabular-nums">#{job.number}</span>
                  </span>
                  <span className="block text-note text-muted">
                    {job.completedAt
                      ? t('Done {date}', { date: formatDate(job.completedAt, orgTimezone) })
                      : t('Not done yet')}
                  </span>
                </button>
              </li>
            ))}
            <li>
              <button type="button" className={ROW} disabled={isBusy} onClick={of(null)}>
                <span className="block font-semibold">{t('No job in particular')}</span>
              </button>
            </li>
          </ul>
        )}
      </QueryBoundary>
      <Button variant="ghost" icon="arrow-left" onClick={onBack}>
        {t('Another customer')}
      </Button>
    </div>
  )
}
