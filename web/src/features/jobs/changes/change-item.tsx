// One change order: what came up, its lines in short, and all that any offer has.
import { lazy, Suspense, useState } from 'react'
import { formatCents } from '@/lib/format/money'
import { OfferItem } from '@/features/paper/offer/offer-item'
import type { Permissions } from '@/features/paper/offer/statuses'
import type { ChangeOrder, JobDetail } from '../types'
import { recipientOf } from './recipient'

const ChangeDialog = lazy(async () => ({ default: (await import('./change-dialog')).ChangeDialog }))

/** How the job's page names it; undefined for an earlier version. */
type Standing = JobDetail['changeOrders'][number] | undefined
type ChangeItemProps = { job: JobDetail; order: ChangeOrder; timeZone: string }

/** As the server says; with what stands no more nothing can be done. */
function mayOf(standing: Standing): Permissions {
  const { canSend = false, canRevise = false, canWithdraw = false } = standing ?? {}
  return { send: canSend, revise: canRevise, withdraw: canWithdraw }
}

/** What was approved is owed on the invoice: of a deposit nothing is said once all is paid. */
const isPaid = ({ balanceDue }: JobDetail, { status }: ChangeOrder) => status === 'approved' && (balanceDue ?? 0) <= 0

export function ChangeItem({ job, order, timeZone }: ChangeItemProps) {
  const [isRevising, setIsRevising] = useState(false)
  const standing = job.changeOrders.find(({ id }) => id === order.id)
  return (
    <OfferItem
      offer={order}
      to={recipientOf(job)}
      may={mayOf(standing)}
      onRevise={() => setIsRevising(true)}
      isLeadPaid={isPaid(job, order)}
      timeZone={timeZone}
    >
      {order.content.title && <p className="mt-1 wrap-anywhere">{order.content.title}</p>}
      {standing && <Lines lines={standing.lines} />}
      {isRevising && (
        <Suspense fallback={null}>
          <ChangeDialog job={job} revised={order} onClose={() => setIsRevising(false)} />
        </Suspense>
      )}
    </OfferItem>
  )
}

function Lines({ lines }: Pick<NonNullable<Standing>, 'lines'>) {
  return (
    <ul className="mt-1 grid gap-0.5 text-note text-muted">
      {lines.map(({ name, quantity, amount }, at) => (
        // oxlint-disable-next-line react/no-array-index-key -- the lines of a version never change, and have no other name here
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
