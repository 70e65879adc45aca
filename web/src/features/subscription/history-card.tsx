import { useQuery } from '@tanstack/react-query'
import { type ComponentType, useId } from 'react'
import { formatDate } from '@/lib/format/date'
import { formatCents } from '@/lib/format/money'
import { useCurrentUser } from '@/features/session/use-session'
import { t } from '@/lib/i18n'
import { Card } from '@/ui/card'
import { EmptyState } from '@/ui/empty-state'
import { QueryBoundary } from '@/ui/query-boundary'
import { Table } from '@/ui/table'
import { subscriptionMessages as texts } from './messages'
import { type SubscriptionInvoice, subscriptionQueries } from './queries'

/** Plain names of Stripe's invoice states. */
const STATUSES: Readonly<Record<string, string>> = {
  paid: t('Paid'),
  open: t('Open'),
  void: t('Void'),
  uncollectible: t('Not collected'),
}

export type BillingHistoryActionProps = {
  hasInvoices: boolean
  /** The element that says why there is nothing. */ reasonId: string
}

type BillingHistoryCardProps = {
  /** Stands at the right of the heading. */ aside?: ComponentType<BillingHistoryActionProps>
}

export function BillingHistoryCard({ aside: Aside }: BillingHistoryCardProps) {
  const { orgId, orgTimezone, role } = useCurrentUser()
  const reasonId = useId()
  const invoices = useQuery({ ...subscriptionQueries.invoices(orgId), enabled: role === 'owner' })
  if (role !== 'owner') return null
  return (
    <Card
      title={t('Billing history')}
      icon="document"
      aside={Aside && <Aside hasInvoices={(invoices.data?.length ?? 0) > 0} reasonId={reasonId} />}
    >
      <QueryBoundary
        query={invoices}
        errorText={texts.historyFailed}
        timeZone={orgTimezone}
        isEmpty={(found) => found.length === 0}
        empty={
          <EmptyState icon="document" title={t('No invoices yet')}>
            <p id={reasonId}>
              {t('Each payment for Toolbox is listed here. There is nothing to download before the first.')}
            </p>
          </EmptyState>
        }
      >
        {(found) => (
          <Table
            hasNoLinks
            caption={t('Invoices for Toolbox, newest first')}
            columns={[
              { key: 'date', label: t('Date') },
              { key: 'number', label: t('Number') },
              { key: 'status', label: t('Status') },
              { key: 'amount', label: t('Amount'), numeric: true },
            ]}
          >
            {found.map((invoice) => (
              <InvoiceRow key={invoice.id} invoice={invoice} timeZone={orgTimezone} />
            ))}
          </Table>
        )}
      </QueryBoundary>
    </Card>
  )
}

function InvoiceRow({ invoice, timeZone }: { invoice: SubscriptionInvoice; timeZone: string }) {
  return (
    <tr>
      <td>{formatDate(invoice.createdAt, timeZone)}</td>
      <td className="wrap-anywhere">{invoice.number ?? t('None')}</td>
      <td>{STATUSES[invoice.status] ?? invoice.status}</td>
      <td className="text-right">{formatCents(invoice.amount)}</td>
    </tr>
  )
}
