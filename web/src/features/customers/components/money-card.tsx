import { Link } from 'react-router-dom'
import { INVOICE_STATUSES } from '@/domain/invoice'
import { PAYMENT_STATUSES } from '@/domain/payment'
import { classNames } from '@/lib/class-names'
import { formatCalendarDay } from '@/lib/format/calendar-day'
import { formatCents } from '@/lib/format/money'
import { t } from '@/lib/i18n'
import { paths } from '@/lib/paths'
import { Badge } from '@/ui/badge'
import { Card } from '@/ui/card'
import type { Customer } from '../types'
import { LinkRow, LinkRows } from './link-rows'

export function CustomerMoneyCard({ customer: { money, estimates, invoices, payments } }: { customer: Customer }) {
  return (
    <Card title={t('Money')} icon="dollar">
      <div className="grid gap-5">
        <dl className="grid gap-x-4 gap-y-2 sm:grid-cols-4">
          <TotalRow label={t('Quoted')} amount={money.quoted} />
          <TotalRow label={t('Invoiced')} amount={money.invoiced} />
          <TotalRow label={t('Paid')} amount={money.paid} />
          <TotalRow label={t('Owed')} amount={money.owed} note={describeUninvoiced(money)} isMarked={money.owed > 0} />
        </dl>
        {estimates.length > 0 && <Estimates estimates={estimates} />}
        {invoices.length > 0 && <Invoices invoices={invoices} />}
        {payments.length > 0 && <Payments payments={payments} />}
      </div>
    </Card>
  )
}

/** What of the debt no invoice asks for yet; empty where invoices ask for all of it. */
function describeUninvoiced({ owed, notInvoiced }: Customer['money']): string {
  if (notInvoiced === 0) return ''
  return notInvoiced === owed
    ? t('Approved, not yet invoiced')
    : t('{amount} of it not yet invoiced', { amount: formatCents(notInvoiced) })
}

type TotalRowProps = { label: string; amount: number; note?: string; isMarked?: boolean }

function TotalRow({ label, amount, note = '', isMarked = false }: TotalRowProps) {
  return (
    <div className="flex items-baseline justify-between gap-3 sm:block">
      <dt className="text-note text-muted">{label}</dt>
      <dd className="text-right sm:text-left">
        <span className={classNames('text-crew font-semibold tabular-nums', isMarked && 'text-warning')}>
          {formatCents(amount)}
        </span>
        {note && <span className="block text-note text-muted">{note}</span>}
      </dd>
    </div>
  )
}

const ESTIMATE_STATUS_LABELS = {
  preparing: t('Preparing'),
  open: t('Open'),
  expired: t('Expired'),
  approved: t('Approved'),
  declined: t('Declined'),
  replaced: t('Replaced'),
  superseded: t('Superseded'),
  withdrawn: t('Withdrawn'),
} as const satisfies Record<Customer['estimates'][number]['status'], string>

function Estimates({ estimates }: { estimates: Customer['estimates'] }) {
  return (
    <section className="grid gap-2">
      <h3 className="font-semibold">
        {estimates.some(({ jobId }) => jobId) ? t('Estimates and change orders') : t('Estimates')}
      </h3>
      <LinkRows>
        {estimates.map(({ id, leadId, jobId, number, status, total, issuedOn }) => (
          <LinkRow key={id} aside={<span className="font-semibold tabular-nums">{formatCents(total)}</span>}>
            <Link
              to={jobId ? paths.job(jobId) : paths.lead(leadId)}
              className="block font-semibold after:absolute after:inset-0 hover:underline"
            >
              {number}
            </Link>
            <span className="block text-note text-muted">
              {ESTIMATE_STATUS_LABELS[status]}, {formatCalendarDay(issuedOn)}
            </span>
          </LinkRow>
        ))}
      </LinkRows>
    </section>
  )
}

function Invoices({ invoices }: { invoices: Customer['invoices'] }) {
  return (
    <section className="grid gap-2">
      <h3 className="font-semibold">{t('Invoices')}</h3>
      <LinkRows>
        {invoices.map(({ id, number, status, total, balance, dueOn }) => {
          const look = INVOICE_STATUSES[status]
          return (
            <LinkRow
              key={id}
              aside={
                <Badge tone={look.tone} icon={look.icon}>
                  {look.label}
                </Badge>
              }
            >
              <Link to={paths.invoice(id)} className="block font-semibold after:absolute after:inset-0 hover:underline">
                {number ?? t('Draft invoice')}
              </Link>
              <span className="block text-note text-muted tabular-nums">
                {formatCents(total)}
                {balance > 0 && balance < total && `, ${t('{amount} open', { amount: formatCents(balance) })}`}
                {dueOn && `, ${t('due {day}', { day: formatCalendarDay(dueOn) })}`}
              </span>
            </LinkRow>
          )
        })}
      </LinkRows>
    </section>
  )
}

/** Nothing where it is simply done. */
function StateBadge({ status }: Pick<Customer['payments'][number], 'status'>) {
  const state = PAYMENT_STATUSES[status]
  return (
    state && (
      <Badge tone={state.tone} icon={state.icon} className="ml-2">
        {state.label}
      </Badge>
    )
  )
}

const KINDS = { payment: t('Payment'), refund: t('Refund'), write_off: t('Written off') } as const

function Payments({ payments }: { payments: Customer['payments'] }) {
  return (
    <section className="grid gap-2">
      <h3 className="font-semibold">{t('Payments')}</h3>
      <ul className="grid gap-1.5">
        {payments.map(({ id, kind, status, amount, receivedOn, reference, number }) => (
          <li key={id} className="flex items-baseline justify-between gap-3">
            <span className="min-w-0 wrap-anywhere">
              {KINDS[kind]}
              {number && ` ${number}`}
              <span className="text-note text-muted">
                , {formatCalendarDay(receivedOn)}
                {reference && `, ${reference}`}
              </span>
              <StateBadge status={status} />
            </span>
            <span className="shrink-0 font-semibold tabular-nums">
              {formatCents(kind === 'payment' ? amount : -amount)}
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}
