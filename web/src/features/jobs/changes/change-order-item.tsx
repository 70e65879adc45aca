import { lazy, Suspense, useState } from 'react'
import { formatCents } from '@/lib/format/money'
import { EstimateListItem } from '@/features/documents/estimate/estimate-list-item'
import type { EstimatePermissions } from '@/features/documents/estimate/statuses'
import type { ChangeOrder, JobDetail } from '../types'
import { getJobRecipient } from './recipient'

const ChangeOrderDialog = lazy(async () => ({ default: (await import('./change-order-dialog')).ChangeOrderDialog }))

/** How the job's page names it; undefined for an earlier version. */
type ChangeOrderSummary = JobDetail['changeOrders'][number] | undefined
type ChangeOrderItemProps = { job: JobDetail; order: ChangeOrder; timeZone: string }

/** By the server's status; replaced ones have no actions. */
function getPermissions(summary: ChangeOrderSummary): EstimatePermissions {
  const { canSend = false, canRevise = false, canWithdraw = false } = summary ?? {}
  return { send: canSend, revise: canRevise, withdraw: canWithdraw }
}

/** An approved amount is due on the invoice; a deposit is not shown once all is paid. */
const isPaid = ({ balanceDue }: JobDetail, { status }: ChangeOrder) => status === 'approved' && (balanceDue ?? 0) <= 0

export function ChangeOrderItem({ job, order, timeZone }: ChangeOrderItemProps) {
  const [isRevising, setIsRevising] = useState(false)
  const summary = job.changeOrders.find(({ id }) => id === order.id)
  return (
    <EstimateListItem
      estimate={order}
      to={getJobRecipient(job)}
      may={getPermissions(summary)}
      onRevise={() => setIsRevising(true)}
      isLeadPaid={isPaid(job, order)}
      timeZone={timeZone}
    >
      {order.content.title && <p className="mt-1 wrap-anywhere">{order.content.title}</p>}
      {summary && <ChangeOrderLines lines={summary.lines} />}
      {isRevising && (
        <Suspense fallback={null}>
          <ChangeOrderDialog job={job} revised={order} onClose={() => setIsRevising(false)} />
        </Suspense>
      )}
    </EstimateListItem>
  )
}

function ChangeOrderLines({ lines }: Pick<NonNullable<ChangeOrderSummary>, 'lines'>) {
  return (
    <ul className="mt-1 grid gap-0.5 text-note text-muted">
      {lines.map(({ name, quantity, amount }, at) => (
        // oxlint-disable-next-line react/no-array-index-key -- lines of a version never change; none has an id
        <li key={`${at} ${name}`} className="flex justify-between gap-3">
          <span className="min-w-0 wrap-anywhere">
            {name}
            {quantity && `, ${quantity}`}
          </span>
          <span className="shrink-0 tabular-nums">{formatCents(amount)}</span>
        </li>
      ))}
    </ul>
  )
}
