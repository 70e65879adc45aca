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

/** How the business's account is read: connected, by pasted keys, or not at all. */
export type StripeAccess = 'connection' | 'keys' | 'none'
type ReconciliationProps = { look: Reconciliation; access: StripeAccess; timeZone: string }

export function StripeReconciliation({ look, access, timeZone }: ReconciliationProps) {
  const { unread, differences, settled, notCompared } = look
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
        {access === 'none'
          ? t('Stripe is not connected, so nothing is compared.')
          : t(
              'Every night the card payments, refunds, disputes and payouts of the last 120 days are compared with Stripe.',
            )}
      </p>
      <ComparisonStatus look={look} access={access} timeZone={timeZone} />
      {access !== 'none' && unread.length > 0 && (
        <Notice tone="warning" title={UNREAD_TEXTS[access].title}>
          {hasMissing(unread)
            ? UNREAD_TEXTS[access].payments(formatLists(unread))
            : UNREAD_TEXTS[access].part(formatLists(unread))}
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

/** What the last comparison found; nothing is said to agree while Stripe is not connected. */
function ComparisonStatus({ look, access, timeZone }: ReconciliationProps) {
  const { finishedAt, isRunning, agreed, unread, differences, settled, notCompared } = look
  const missing = unread.filter((list) => NEEDED_TO_COMPARE.has(list))
  const date = finishedAt ? formatDateTime(finishedAt, timeZone) : ''
  if (access === 'none') {
    // Where a list was missing the last one compared nothing.
    return date === '' || missing.length > 0 ? null : <NeutralLine>{t('last compared {date}', { date })}</NeutralLine>
  }
  if (date === '')
    return <NeutralLine>{isRunning ? t('the first comparison is under way') : t('not compared yet')}</NeutralLine>
  const isInAgreement = differences.length === 0 && missing.length === 0 && notCompared.length === 0
  return (
    <StatusLine tone={isInAgreement ? 'success' : 'warning'} icon={isInAgreement ? 'check-circle' : 'alert'}>
      {missing.length > 0
        ? UNREAD_TEXTS[access].status(formatLists(missing))
        : describeMatches(agreed, settled.length, date)}
    </StatusLine>
  )
}

const NeutralLine = ({ children }: { children: string }) => (
  <StatusLine tone="neutral" icon="clock">
    {children}
  </StatusLine>
)

/** Without one of these lists no payment is compared. */
const NEEDED_TO_COMPARE: ReadonlySet<string> = new Set(['refunds', 'disputes', 'balance_transactions'])

const hasMissing = (unread: readonly string[]) => unread.some((list) => NEEDED_TO_COMPARE.has(list))

/** A connected account has no key of the business: only the operator can help. */
const UNREAD_TEXTS = {
  keys: {
    title: t('Your key may not read everything'),
    status: (lists: string) => t('not compared: your key may not read {lists}', { lists }),
    payments: (lists: string) => t('Let it read in Stripe: {lists}. Until then payments are not compared.', { lists }),
    part: (lists: string) => t('Let it read in Stripe: {lists}. Until then this part is not compared.', { lists }),
  },
  connection: {
    title: t('Stripe did not let us read everything'),
    status: (lists: string) => t('not compared: Stripe did not let us read {lists}', { lists }),
    payments: (lists: string) =>
      t('We could not read: {lists}. Payments are not compared until we can. Ask the person who runs your Toolbox.', {
        lists,
      }),
    part: (lists: string) =>
      t('We could not read: {lists}. This part is not compared until we can. Ask the person who runs your Toolbox.', {
        lists,
      }),
  },
} as const

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
