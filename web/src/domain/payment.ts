// Closed sets of payments: label, tone, icon. A new API value fails the type check.
import type { Schema } from '@/api/client'
import { t } from '@/lib/i18n'
import type { Tone } from './tone'

type PaymentView = Schema['PaymentView']
type Kind = PaymentView['kind']
type Method = PaymentView['method']
type Status = PaymentView['status']

export const PAYMENT_KINDS = {
  payment: { label: t('Payment'), sign: '', icon: 'dollar' },
  refund: { label: t('Refund'), sign: '−', icon: 'arrow-left' },
  write_off: { label: t('Written off'), sign: '', icon: 'close' },
} as const satisfies Record<Kind, { label: string; sign: string; icon: string }>

export const PAYMENT_METHODS = {
  cash: t('Cash'),
  check: t('Check'),
  card: t('Card'),
  bank: t('Bank'),
  other: t('Other'),
  none: '',
} as const satisfies Record<Method, string>

export const METHOD_CHOICES = (['cash', 'check', 'card', 'bank', 'other'] as const).map((value) => ({
  value,
  label: PAYMENT_METHODS[value],
}))

/** Null for settled payments. */
export const PAYMENT_STATUSES = {
  settled: null,
  pending: { label: t('On its way'), tone: 'info', icon: 'clock' },
  unknown: { label: t('In doubt'), tone: 'warning', icon: 'alert' },
  failed: { label: t('Failed'), tone: 'error', icon: 'alert' },
  test: { label: t('Test, no real money'), tone: 'warning', icon: 'info' },
} as const satisfies Record<Status, { label: string; tone: Tone; icon: string } | null>

const UNCONFIRMED_HINT = t(
  'Stripe has not confirmed this refund. It may have been made: do not give the money back a second time.',
)

const PAYMENT_STATUS_HINTS = {
  settled: null,
  pending: null,
  unknown: `${UNCONFIRMED_HINT} ${t('We keep asking Stripe.')}`,
  failed: null,
  test: t('Paid in Stripe’s test mode. It counts nowhere in your books.'),
} as const satisfies Record<Status, string | null>

const KEY_REFUSED = t('We cannot ask Stripe: it refuses the key. Put a new key in Settings, and it settles by itself.')
const ACCOUNT_DISCONNECTED = t(
  'We cannot ask Stripe: the account that took the payment is not connected. Look it up in Stripe, then mark it here. Connected again, it becomes clear by itself.',
)

export function paymentHint({
  kind,
  status,
  markable,
  keyRefused,
}: Pick<PaymentView, 'kind' | 'status' | 'markable' | 'keyRefused'>): string | null {
  // The refund's own state explains the write-off.
  if (kind === 'write_off' && status === 'unknown') return t('It counts once it is clear that the refund was made.')
  if (keyRefused) return `${UNCONFIRMED_HINT} ${KEY_REFUSED}`
  return markable ? `${UNCONFIRMED_HINT} ${ACCOUNT_DISCONNECTED}` : PAYMENT_STATUS_HINTS[status]
}

/** Card payment through the business's Stripe account, refunded there. */
export const isFromStripe = ({ kind, method, by }: Pick<PaymentView, 'kind' | 'method' | 'by'>) =>
  kind === 'payment' && method === 'card' && !by
