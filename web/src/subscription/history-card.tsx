// What the business was billed for Toolbox, from Stripe.
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { formatDate } from '@/lib/format/date'
import { formatCents } from '@/lib/format/money'
import { useCurrentUser } from '@/session/use-session'
import { Card } from '@/ui/card'
import { EmptyState } from '@/ui/empty-state'
import { QueryBoundary } from '@/ui/query-boundary'
import { Table } from '@/ui/table'
import { subscriptionTexts as texts } from './messages'
import { type SubscriptionInvoice, subscriptionQueries } from './queries'

/** Stripe's words for how an invoice stands, as people say them. */
const STATUSES: Readonly<Record<string, string>> = { paid: 'Paid', open: 'Open', void: 'Void', uncollectible: 'Not collected' }

type HistoryCardProps = { /** Stands at the right of the heading once there is anything. */ aside?: ReactNode }

export function HistoryCard({ aside }: HistoryCardProps) {
  const { orgId, orgTimezone, role } = useCurrentUser()
  const invoices = useQuery({ ...subscriptionQueries.invoices(orgId), enabled: role === 'owner' })
  if (role !== 'owner') return null
  return (
    <Card title="Billing history" icon="document" aside={invoices.data && invoices.data.length > 0 ? aside : null}>
      <QueryBoundary
        query={invoices}
        errorText={texts.historyFailed}
        timeZone={orgTimezone}
        isEmpty={(found) => found.length === 0}
        empty={<EmptyState icon="document" title="No invoices yet">Each payment for Toolbox is listed here.</EmptyState>}
      >
        {(found) => (
          <Table hasNoLinks caption="Invoices for Toolbox, newest first" columns={[{ key: 'date', label: 'Date' }, { key: 'number', label: 'Number' }, { key: 'status', label: 'Status' }, { key: 'amount', label: 'Amount', numeric: true }]}>
            {found.map((invoice) => <Row key={invoice.id} invoice={invoice} timeZone={orgTimezone} />)}
          </Table>
        )}
      </QueryBoundary>
    </Card>
  )
}

function Row({ invoice, timeZone }: { invoice: SubscriptionInvoice; timeZone: string }) {
  return (
    <tr>
      <td>{formatDate(invoice.createdAt, timeZone)}</td>
      <td className="wrap-anywhere">{invoice.number ?? 'None'}</td>
      <td>{STATUSES[invoice.status] ?? invoice.status}</td>
      <td className="text-right">{formatCents(invoice.amount)}</td>
    </tr>
  )
}
