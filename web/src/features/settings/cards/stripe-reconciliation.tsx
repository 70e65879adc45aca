// Nightly Stripe reconciliation.
import { Link } from 'react-router-dom'
import type { Schema } from '@/api/client'
import { formatDateTime } from '@/lib/format/date'
import { paths } from '@/lib/paths'
import { Notice } from '@/ui/notice'
import { StatusLine } from '@/ui/status-line'

type Reconciliation = Schema['Reconciliation']

export function StripeReconciliation({ look, timeZone }: { look: Reconciliation; timeZone: string }) {
  const { finishedAt, agreed, unread, differences } = look
  const missing = unread.filter((list) => NEEDED_TO_COMPARE.has(list))
  const isInAgreement = differences.length === 0 && missing.length === 0
  return (
    <section aria-label="Your books and Stripe" className="grid gap-2">
      <h3 className="font-semibold">Your books and Stripe</h3>
      <p className="text-note text-muted">
        Every night the card payments, refunds, disputes and payouts of the last 120 days are compared with Stripe.
      </p>
      {finishedAt ? (
        <StatusLine tone={isInAgreement ? 'success' : 'warning'} icon={isInAgreement ? 'check-circle' : 'alert'}>
          {missing.length > 0
            ? `not compared: your key may not read ${formatLists(missing)}`
            : `${formatMatchedPayments(agreed)}, compared ${formatDateTime(finishedAt, timeZone)}`}
        </StatusLine>
      ) : (
        <StatusLine tone="neutral" icon="clock">
          the first comparison is under way
        </StatusLine>
      )}
      {unread.length > 0 && (
        <Notice
          tone="warning"
          title="Your key may not read everything"
        >{`Let it read in Stripe: ${formatLists(unread)}. Until then ${missing.length > 0 ? 'payments are' : 'this part is'} not compared.`}</Notice>
      )}
      {differences.length > 0 && (
        <ul aria-label="Differences" className="grid gap-2">
          {differences.map(({ text, leadId, foundAt }) => (
            <li key={text}>
              <Notice tone="warning" title={`Found ${formatDateTime(foundAt, timeZone)}`}>
                <p className="wrap-anywhere">{text}</p>
                {leadId && (
                  <Link to={paths.lead(leadId)} className="text-link inline-flex min-h-11 items-center">
                    Open the request
                  </Link>
                )}
              </Notice>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

/** Without one of these lists no payment is compared. */
const NEEDED_TO_COMPARE: ReadonlySet<string> = new Set(['refunds', 'disputes', 'balance_transactions'])

const formatLists = (lists: readonly string[]) => lists.map((list) => list.replace('_', ' ')).join(', ')

const formatMatchedPayments = (agreed: number) => (agreed === 1 ? '1 payment agrees' : `${agreed} payments agree`)
