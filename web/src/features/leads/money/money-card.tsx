import { useQuery } from '@tanstack/react-query'
import type { EstimateView } from '@/features/documents/estimate/types'
import { formatCents } from '@/lib/format/money'
import { classNames } from '@/lib/class-names'
import { CreditNotice } from '@/features/ledger/credit-notice'
import { PaymentItem } from '@/features/ledger/payment-item'
import { useCurrentUser } from '@/features/session/use-session'
import { t } from '@/lib/i18n'
import { Card } from '@/ui/card'
import { QueryBoundary } from '@/ui/query-boundary'
import { SkeletonLines } from '@/ui/skeleton'
import { leadsMessages } from '../messages'
import { type LeadDetail, type LeadMoney, leadQueries } from '../queries'

const OPEN_STATUSES: ReadonlySet<EstimateView['status']> = new Set(['preparing', 'open', 'expired'])

type LeadMoneyCardProps = { lead: LeadDetail; timeZone: string }

export function LeadMoneyCard({ lead, timeZone }: LeadMoneyCardProps) {
  const { orgId } = useCurrentUser()
  const money = useQuery(leadQueries.money(orgId, lead.id))
  const { data: estimates = [] } = useQuery(leadQueries.estimates(orgId, lead.id))
  // What was sent is an offer; it is agreed once the customer has approved it.
  const isQuoted =
    estimates.some(({ status }) => OPEN_STATUSES.has(status)) && estimates.every(({ status }) => status !== 'approved')
  return (
    <Card title={t('Money')} icon="dollar">
      <QueryBoundary
        query={money}
        skeleton={<SkeletonLines />}
        errorText={leadsMessages.money.loadFailed}
        timeZone={timeZone}
        isEmpty={isUntouched}
        empty={<p className="text-muted">{t('Nothing is agreed or paid yet.')}</p>}
      >
        {(found) => (
          <div className="grid gap-4">
            <MoneyRows money={found} isApproved={!isQuoted} />
            {found.giveBack && <CreditNotice giveBack={found.giveBack} />}
            {found.payments.length > 0 && (
              <ul aria-label={t('Payments')} className="grid gap-3">
                {found.payments.map((payment) => (
                  <PaymentItem key={payment.id} payment={payment} email={lead.email} />
                ))}
              </ul>
            )}
          </div>
        )}
      </QueryBoundary>
    </Card>
  )
}

function isUntouched({ agreed, invoiced, payments }: LeadMoney): boolean {
  return typeof agreed !== 'number' && invoiced === 0 && payments.length === 0
}

type MoneyRow = { label: string; amount: number; isMain?: boolean }

const rowUnlessZero = (label: string, amount: number) => (amount > 0 ? [{ label, amount }] : [])

/** What is nothing is left out, but for the three that everybody looks for. */
function getMoneyRows(money: LeadMoney, isApproved: boolean): MoneyRow[] {
  const { agreed, changeOrders, invoiced, collected, refunded, writtenOff, owed, owedApproved, credit, depositDue } =
    money
  return [
    ...(typeof agreed === 'number' ? [{ label: isApproved ? t('Agreed') : t('Quoted'), amount: agreed }] : []),
    ...(changeOrders === 0 ? [] : [{ label: t('Of it change orders'), amount: changeOrders }]),
    ...rowUnlessZero(t('Deposit due'), depositDue),
    ...rowUnlessZero(t('Invoiced'), invoiced),
    { label: t('Collected'), amount: collected },
    ...rowUnlessZero(t('Refunded'), refunded),
    ...rowUnlessZero(t('Written off'), writtenOff),
    ...rowUnlessZero(t('Credit'), credit),
    // An estimate that is not approved is no debt.
    ...rowUnlessZero(t('Quoted and not paid'), owed - owedApproved),
    { label: t('Owed'), amount: owedApproved, isMain: true },
  ]
}

function MoneyRows({ money, isApproved }: { money: LeadMoney; isApproved: boolean }) {
  return (
    <dl className="grid gap-1.5 tabular-nums">
      {getMoneyRows(money, isApproved).map(({ label, amount, isMain = false }) => (
        <div
          key={label}
          className={classNames(
            'flex items-baseline justify-between gap-4',
            isMain && 'border-t border-primary/22 pt-1.5 text-crew font-semibold',
          )}
        >
          <dt className={classNames(!isMain && 'text-note text-muted')}>{label}</dt>
          <dd>{formatCents(amount)}</dd>
        </div>
      ))}
    </dl>
  )
}
