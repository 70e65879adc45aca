import type { Schema } from '@/api/client'
import type { IconName } from '@/ui/icon'
import type { RecoveryCategory, MeasuredGain } from '../queries'

export const RECOVERY_CATEGORIES = {
  missed_call: {
    label: 'Missed calls',
    is: 'The caller was texted back, and came back before any of you spoke with them.',
  },
  auto_reply: {
    label: 'Automatic replies',
    is: 'A rule answered within five minutes, and the customer went on before any of you spoke with them.',
  },
  follow_up: { label: 'Estimate follow-ups', is: 'The automatic question was the last word, and a yes came of it.' },
  reminder: {
    label: 'Payment reminders',
    is: 'An overdue invoice was paid within two weeks of a reminder, with no word of yours in between.',
  },
  review_click: {
    label: 'Review link',
    is: 'A customer who had pressed the link in your review request asked for new work within 90 days. What a review brings from strangers cannot be followed, and is not counted.',
  },
} as const satisfies Record<RecoveryCategory, { label: string; is: string }>

export const RECOVERY_CATEGORY_NAMES = [
  'missed_call',
  'auto_reply',
  'follow_up',
  'reminder',
  'review_click',
] as const satisfies readonly RecoveryCategory[]

type AttributionStep = Schema['ChainStep']

export const ATTRIBUTION_STEPS = {
  missed_call: { label: 'Missed call', icon: 'phone' },
  call_text: { label: 'Texted back', icon: 'sparkle' },
  call_reminder: { label: 'Reminded of the call', icon: 'sparkle' },
  auto_reply: { label: 'Answered automatically', icon: 'sparkle' },
  follow_up: { label: 'Asked about the estimate', icon: 'sparkle' },
  reminder: { label: 'Reminded of the invoice', icon: 'sparkle' },
  review_click: { label: 'Pressed the review link', icon: 'star' },
  wrote: { label: 'Wrote back', icon: 'message' },
  spoken: { label: 'Called back', icon: 'phone' },
  booked_themselves: { label: 'Booked a visit', icon: 'calendar' },
  approved: { label: 'Approved the estimate', icon: 'check-circle' },
  booked: { label: 'Visit planned', icon: 'calendar' },
  done: { label: 'Work done', icon: 'wrench' },
  paid: { label: 'Paid', icon: 'dollar' },
  refunded: { label: 'Given back', icon: 'undo' },
} as const satisfies Record<AttributionStep, { label: string; icon: IconName }>

export const HOLDOUT_TESTS = {
  estimate_follow_up: 'Estimate follow-ups',
  missed_call_text: 'Missed-call texts',
} as const satisfies Record<MeasuredGain['test'], string>
