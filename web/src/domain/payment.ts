// The closed sets of payments with their words, tones and icons. A new value in the API breaks the build here.
import type { Schema } from '@/api/client'
import type { Tone } from './tone'

type PaymentView = Schema['PaymentView']
type Kind = PaymentView['kind']
type Method = PaymentView['method']
type Status = PaymentView['status']

export const PAYMENT_KINDS = {
  payment: { label: 'Payment', sign: '', icon: 'dollar' },
  refund: { label: 'Refund', sign: '−', icon: 'arrow-left' },
  write_off: { label: 'Written off', sign: '', icon: 'close' },
} as const satisfies Record<Kind, { label: string; sign: string; icon: string }>

export const PAYMENT_METHODS = {
  cash: 'Cash',
  check: 'Check',
  card: 'Card',
  bank: 'Bank',
  other: 'Other',
  none: '',
} as const satisfies Record<Method, string>

/** By which a person says they were paid. */
export const METHOD_CHOICES = (['cash', 'check', 'card', 'bank', 'other'] as const).map((value) => ({
  value,
  label: PAYMENT_METHODS[value],
}))

/** What is not simply done. */
export const PAYMENT_STATUSES = {
  settled: null,
  pending: { label: 'On its way', tone: 'info', icon: 'clock' },
  unknown: { label: 'In doubt', tone: 'warning', icon: 'alert' },
  failed: { label: 'Failed', tone: 'error', icon: 'alert' },
  test: { label: 'Test, no real money', tone: 'warning', icon: 'info' },
} as const satisfies Record<Status, { label: string; tone: Tone; icon: string } | null>

const IN_DOUBT =
  'Stripe has not confirmed this refund. It may have been made: do not give the money back a second time.'

/** What a state means for whoever looks at it. */
const PAYMENT_STATUS_HINTS = {
  settled: null,
  pending: null,
  unknown: `${IN_DOUBT} We keep asking Stripe.`,
  failed: null,
  test: 'Paid in Stripe’s test mode. It counts nowhere in your books.',
} as const satisfies Record<Status, string | null>

const KEY_REFUSED = 'We cannot ask Stripe: it refuses the key. Put a new key in Settings, or mark it here.'
const OUT_OF_REACH =
  'We cannot ask Stripe: the account that took the payment is not connected, or its key may not do this. Look it up in Stripe, then mark it here. Connected again, it becomes clear by itself.'

/** What is said below a row of the books. */
export function paymentHint({
  kind,
  status,
  markable,
  keyRefused,
}: Pick<PaymentView, 'kind' | 'status' | 'markable' | 'keyRefused'>): string | null {
  // What was taken off the bill has the state of its refund, which says the rest.
  if (kind === 'write_off' && status === 'unknown') return 'It counts once it is clear that the refund was made.'
  if (!markable) return PAYMENT_STATUS_HINTS[status]
  return `${IN_DOUBT} ${keyRefused ? KEY_REFUSED : OUT_OF_REACH}`
}

/** It came through the business's account at Stripe, and goes back there: nobody recorded it by hand. */
export const isFromStripe = ({ kind, method, by }: Pick<PaymentView, 'kind' | 'method' | 'by'>) =>
  kind === 'payment' && method === 'card' && !by
