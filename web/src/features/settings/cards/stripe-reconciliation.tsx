// Nightly Stripe reconciliation.
import { useEffect, useRef, useState } from 'react'
import type { Schema } from '@/api/client'
import { formatDate, formatDateTime } from '@/lib/format/date'
import { formatCents } from '@/lib/format/money'
import { plural, t } from '@/lib/i18n'
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
    <section aria-label={t('Your books and Stripe')} className="grid gap-2">
      <h3 ref={heading} tabIndex={-1} className="font-semibold outline-none">
        {t('Your books and Stripe')}
      </h3>
      <p className="text-note text-muted">
        {t('Every night the card payments, refunds, disputes and payouts of the last 120 days are compared with Stripe.')}
      </p>
      {finishedAt ? (
        <StatusLine tone={isInAgreement ? 'success' : 'warning'} icon={isInAgreement ? 'check-circle' : 'alert'}>
          {missing.length > 0
            ? t('not compared: your key may not read {lists}', { lists: formatLists(missing) })
            : describeMatches(agreed, settled.length, formatDateTime(finishedAt, timeZone))}
        </StatusLine>
      ) : (
        <StatusLine tone="neutral" icon="clock">
          {t('the first comparison is under way')}
        </StatusLine>
      )}
      {unread.length > 0 && (
        <Notice tone="warning" title={t('Your key may not read everything')}>
          {missing.length > 0
            ? t('Let it read in Stripe: {lists}. Until then payments are not compared.', { lists: formatLists(unread) })
            : t('Let it read in Stripe: {lists}. Until then this part is not compared.', { lists: formatLists(unread) })}
        </Notice>
      )}
      {notCompared.map((payments) => (
        <Notice
          key={payments.account ?? payments.since ?? ''}
          tone="warning"
          title={t('A former Stripe account is not compared')}
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
  const values = {
    amount: formatCents(amount),
    account: account ? t('a former Stripe account ({account})', { account }) : t('a former Stripe account'),
    date: since ? formatDate(since, timeZone) : '',
  }
  const state = since
    ? plural(
        payments,
        '{count} payment ({amount}) of {account} is not compared since {date}.',
        '{count} payments ({amount}) of {account} are not compared since {date}.',
        values,
      )
    : plural(
        payments,
        '{count} payment ({amount}) of {account} is no longer compared.',
        '{count} payments ({amount}) of {account} are no longer compared.',
        values,
      )
  return `${state} ${t('Look in that account for refunds and chargebacks.')}`
}

const LIST_NAMES: Readonly<Record<string, string>> = {
  charges: t('charges'),
  refunds: t('refunds'),
  disputes: t('disputes'),
  payouts: t('payouts'),
  balance_transactions: t('balance transactions'),
}

const formatLists = (lists: readonly string[]) =>
  lists.map((list) => LIST_NAMES[list] ?? list.replace('_', ' ')).join(', ')

/** Settled payments still differ. */
function describeMatches(agreed: number, settled: number, date: string): string {
  return settled > 0
    ? plural(
        agreed,
        '{count} payment agrees ({settled} settled), compared {date}',
        '{count} payments agree ({settled} settled), compared {date}',
        { settled, date },
      )
    : plural(agreed, '{count} payment agrees, compared {date}', '{count} payments agree, compared {date}', { date })
}
