// Change orders of a job, hidden from crews.
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'
import { Link } from 'react-router-dom'
import { formatCents } from '@/lib/format/money'
import { useOnline } from '@/lib/hooks/use-online'
import { t } from '@/lib/i18n'
import { paths } from '@/lib/paths'
import { splitByRelevance } from '@/features/documents/estimate/statuses'
import { useCurrentUser } from '@/features/session/use-session'
import { Button } from '@/ui/button'
import { Card } from '@/ui/card'
import { Disclosure } from '@/ui/disclosure'
import { QueryBoundary } from '@/ui/query-boundary'
import { SkeletonLines } from '@/ui/skeleton'
import { jobsMessages } from '../messages'
import { jobQueries } from '../queries'
import type { ChangeOrder, JobDetail } from '../types'
import { AgreementRows } from './agreement-rows'
import { ChangeOrderItem } from './change-order-item'

const ChangeOrderDialog = lazy(async () => ({ default: (await import('./change-order-dialog')).ChangeOrderDialog }))

type ChangeOrdersCardProps = { job: JobDetail; timeZone: string }

export function ChangeOrdersCard({ job, timeZone }: ChangeOrdersCardProps) {
  const { agreed, changeOrders, status } = job
  const isCancelled = status === 'Cancelled'
  if (!agreed || (isCancelled && changeOrders.length === 0)) return null
  return (
    <Card title={t('Change orders')} icon="plus">
      <div className="grid gap-4">
        {changeOrders.length === 0 ? (
          <NoChangeOrders job={job} />
        ) : (
          <ChangeOrderSection job={job} timeZone={timeZone} />
        )}
        {isCancelled ? (
          <p className="text-note text-muted">{jobsMessages.changes.cancelled}</p>
        ) : (
          typeof agreed.total === 'number' && <AddButton job={job} />
        )}
      </div>
    </Card>
  )
}

function AddButton({ job }: { job: JobDetail }) {
  const isOnline = useOnline()
  const [isAdding, setIsAdding] = useState(false)
  return (
    <>
      <Button variant="secondary" icon="plus" disabled={!isOnline} onClick={() => setIsAdding(true)}>
        {t('Add change order')}
      </Button>
      {!isOnline && <p className="-mt-2 text-note text-warning">{jobsMessages.offline}</p>}
      {isAdding && (
        <Suspense fallback={null}>
          <ChangeOrderDialog job={job} onClose={() => setIsAdding(false)} />
        </Suspense>
      )}
    </>
  )
}

/** What one is for; and where nothing was agreed that could be changed, what comes first. */
function NoChangeOrders({ job: { agreed, leadId } }: { job: JobDetail }) {
  const total = agreed?.total
  if (typeof total !== 'number') {
    return (
      <p className="text-muted">
        {t('Nothing is agreed for this job yet.')}{' '}
        <Link to={paths.lead(leadId)} className="text-link">
          {t('Make an estimate')}
        </Link>{' '}
        {t('first, or say under “Edit the job” what it is worth.')}
      </p>
    )
  }
  return (
    <p className="text-muted">
      {t(
        'Found more to do? Write the extra work here; the customer signs for it on the phone, and it joins the {total} agreed.',
        { total: formatCents(total) },
      )}
    </p>
  )
}

function ChangeOrderSection({ job, timeZone }: ChangeOrdersCardProps) {
  const { orgId } = useCurrentUser()
  const orders = useQuery(jobQueries.changeOrders(orgId, job.id))
  return (
    <>
      <AgreementSummary job={job} />
      <QueryBoundary
        query={orders}
        skeleton={<SkeletonLines lines={4} />}
        errorText={jobsMessages.changes.listFailed}
        timeZone={timeZone}
      >
        {(list) => <ChangeOrderList job={job} orders={list} timeZone={timeZone} />}
      </QueryBoundary>
    </>
  )
}

function AgreementSummary({ job: { agreed } }: { job: JobDetail }) {
  if (!agreed) return null
  const { estimate, changeOrders, total, open } = agreed
  return (
    <AgreementRows
      rows={[
        { label: t('Agreed before'), amount: estimate ?? 0 },
        { label: t('Change orders'), amount: changeOrders, isAdded: true },
        { label: t('Agreed now'), amount: total ?? 0, isMain: true },
        ...(open === 0 ? [] : [{ label: t('Waits for an answer'), amount: open }]),
      ]}
    />
  )
}

function ChangeOrderList({ job, orders, timeZone }: ChangeOrdersCardProps & { orders: readonly ChangeOrder[] }) {
  const { current, earlier } = splitByRelevance(orders)
  const list = (some: readonly ChangeOrder[]) => (
    <ul aria-label={t('Change orders')} className="grid gap-3">
      {some.map((order) => (
        <ChangeOrderItem key={order.id} job={job} order={order} timeZone={timeZone} />
      ))}
    </ul>
  )
  return (
    <div className="grid gap-3">
      {list(current)}
      {earlier.length > 0 && (
        <Disclosure summary={t('{count} withdrawn or replaced', { count: earlier.length })}>{list(earlier)}</Disclosure>
      )}
    </div>
  )
}
