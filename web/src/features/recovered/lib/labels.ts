import type { Schema } from '@/api/client'
import { t } from '@/lib/i18n'
import type { IconName } from '@/ui/icon'
import type { RecoveryCategory, MeasuredGain } from '../queries'

export const RECOVERY_CATEGORIES = {
  missed_call: {
    label: t('Missed calls'),
    is: t('The caller was texted back, and came back before any of you spoke with them.'),
  },
  auto_reply: {
    label: t('Automatic replies'),
    is: t('A rule answered within five minutes, and the customer went on before any of you spoke with them.'),
  },
  follow_up: {
    label: t('Estimate follow-ups'),
    is: t('The automatic question was the last word, and a yes came of it.'),
  },
  reminder: {
    label: t('Payment reminders'),
    is: t('An overdue invoice was paid within two weeks of a reminder, with no word of yours in between.'),
  },
  review_click: {
    label: t('Review link'),
    is: t(
      'A customer who had pressed the link in your review request asked for new work within 90 days. What a review brings from strangers cannot be followed, and is not counted.',
    ),
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
  missed_call: { label: t('Missed call'), icon: 'phone' },
  call_text: { label: t('Texted back'), icon: 'sparkle' },
  call_reminder: { label: t('Reminded of the call'), icon: 'sparkle' },
  auto_reply: { label: t('Answered automatically'), icon: 'sparkle' },
  follow_up: { label: t('Asked about the estimate'), icon: 'sparkle' },
  reminder: { label: t('Reminded of the invoice'), icon: 'sparkle' },
  review_click: { label: t('Pressed the review link'), icon: 'star' },
  wrote: { label: t('Wrote back'), icon: 'message' },
  spoken: { label: t('Called back'), icon: 'phone' },
  booked_themselves: { label: t('Booked a visit'), icon: 'calendar' },
  approved: { label: t('Approved the estimate'), icon: 'check-circle' },
  booked: { label: t('Visit planned'), icon: 'calendar' },
  done: { label: t('Work done'), icon: 'wrench' },
  paid: { label: t('Paid'), icon: 'dollar' },
  refunded: { label: t('Given back'), icon: 'undo' },
} as const satisfies Record<AttributionStep, { label: string; icon: IconName }>

export const HOLDOUT_TESTS = {
  estimate_follow_up: t('Estimate follow-ups'),
  missed_call_text: t('Missed-call texts'),
} as const satisfies Record<MeasuredGain['test'], string>
