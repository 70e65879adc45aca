// Nightly Stripe reconciliation.
import { useEffect, useRef, useState } from 'react'
import type { Schema } from '@/api/client'
import { formatDate, formatDateTime } from '@/lib/format/date'
import { formatCents } from '@/lib/format/money'
import { Notice } from '@/ui/notice'
import { StatusLine } from '@/ui/status-line'
import { OpenDifferences, SettledDifferences } from './difference-lists'

type Reconciliation = Schema['Reconciliation']
type UncomparedPayments = Schema['UncomparedPayments']

export function StripeReconciliation({ look, timeZone }: { look: Reconciliation; timeZone: string }) {
  const { finishedAt, agreed, unread, differences, settled, notCompared } = look
  const missing = unread.filter((list) => NEEDED_TO_COMPARE.has(list))
  const isInAgreement = differences.length === 0 && missing.length === 0 && notCompared.length === 0
  const heading = useRef<HTMLHeadingElement>(null)
  const [changes, setChanges] = useState(0)
  const countChange = () => setChanges((count) => count + 1)
  // The pressed button is gone then, and with it the focus; an open dialog would not give it away.
  useEffect(() => {
    if (changes > 0) heading.current?.focus()
  }, [changes])
  return (
    <section aria-label="Your books and Stripe" className="grid gap-2">
      <h3 ref={heading} tabIndex={-1} className="font-semibold outline-none">
        Your books and Stripe
      </h3>
      <p className="text-note text-muted">
        Every night the card payments, refunds, disputes and payouts of the last 120 days are compared with Stripe.
      </p>
      {finishedAt ? (
        <StatusLine tone={isInAgreement ? 'success' : 'warning'} icon={isInAgreement ? 'check-circle' : 'alert'}>
          {missing.length > 0
            ? `not compared: your key may not read ${formatLists(missing)}`
            : `${formatMatchedPayments(agreed)}${formatSettledCount(settled.length)}, compared ${formatDateTime(finishedAt, timeZone)}`}
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
      {notCompared.map((payments) => (
        <Notice
          key={payments.account ?? payments.since ?? ''}
          tone="warning"
          title="A former Stripe account is not compared"
        >
          {describeUncompared(payments, timeZone)}
        </Notice>
      ))}
      {differences.length > 0 && (
        <OpenDifferences differences={differences} timeZone={timeZone} onSettled={countChange} />
      )}
      {settled.length > 0 && <SettledDifferences differences={settled} timeZone={timeZone} onReopened={countChange} />}
    </section>
  )
}

/** Without one of these lists no payment is compared. */
const NEEDED_TO_COMPARE: ReadonlySet<string> = new Set(['refunds', 'disputes', 'balance_transactions'])

function describeUncompared({ account, payments, amount, since }: UncomparedPayments, timeZone: string): string {
  const what = `${payments === 1 ? '1 payment' : `${payments} payments`} (${formatCents(amount)})`
  const place = `a former Stripe account${account ? ` (${account})` : ''}`
  const state = since ? `not compared since ${formatDate(since, timeZone)}` : 'no longer compared'
  return `${what} of ${place} ${payments === 1 ? 'is' : 'are'} ${state}. Look in that account for refunds and chargebacks.`
}

const formatLists = (lists: readonly string[]) => lists.map((list) => list.replace('_', ' ')).join(', ')

/** Settled payments still differ. */
const formatSettledCount = (count: number) => (count > 0 ? ` (${count} settled)` : '')

const formatMatchedPayments = (agreed: number) => (agreed === 1 ? '1 payment agrees' : `${agreed} payments agree`)
