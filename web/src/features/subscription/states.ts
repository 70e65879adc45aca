// Subscription states: label, tone, icon, end date text.
import type { Tone } from '@/domain/tone'
import { formatDate } from '@/lib/format/date'
import { t } from '@/lib/i18n'
import type { IconName } from '@/ui/icon'
import type { SubscriptionState, Subscription } from './queries'

type StatusDisplay = { label: string; tone: Tone; icon: IconName }

export const SUBSCRIPTION_STATES = {
  none: { label: t('No subscription'), tone: 'neutral', icon: 'info' },
  trial: { label: t('Trial'), tone: 'info', icon: 'clock' },
  active: { label: t('Active'), tone: 'success', icon: 'check-circle' },
  cancelled: { label: t('Cancelled'), tone: 'warning', icon: 'calendar' },
  past_due: { label: t('Past due'), tone: 'error', icon: 'alert' },
  grace: { label: t('Ended'), tone: 'error', icon: 'alert' },
  read_only: { label: t('Read-only'), tone: 'error', icon: 'alert' },
} as const satisfies Record<SubscriptionState, StatusDisplay>

/** What its day means; empty where it has none. */
export function describeEndDate({ state, until }: Subscription, timeZone: string): string {
  if (!until) return ''
  const day = formatDate(until, timeZone)
  const words = {
    none: '',
    trial: t('Your trial ends on {day}.', { day }),
    active: t('Next billing on {day}.', { day }),
    cancelled: t('It ends on {day}. Until then everything goes on.', { day }),
    past_due: t('A payment is owed. Everything goes on until {day}.', { day }),
    grace: t('It has ended. Everything goes on until {day}.', { day }),
    read_only: t('You can read and export everything. Your data is kept until {day} at least.', { day }),
  } as const satisfies Record<SubscriptionState, string>
  return words[state]
}

const URGENT_STATES = ['past_due', 'grace', 'read_only'] as const

/** Whether something is to be done about it. */
export const isUrgent = (state: SubscriptionState): boolean => URGENT_STATES.some((one) => one === state)
