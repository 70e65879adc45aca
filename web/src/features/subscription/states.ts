// Subscription states: label, tone, icon, end date text.
import type { Tone } from '@/domain/tone'
import { formatDate } from '@/lib/format/date'
import type { IconName } from '@/ui/icon'
import type { SubscriptionState, Subscription } from './queries'

type StatusDisplay = { label: string; tone: Tone; icon: IconName }

export const SUBSCRIPTION_STATES = {
  none: { label: 'No subscription', tone: 'neutral', icon: 'info' },
  trial: { label: 'Trial', tone: 'info', icon: 'clock' },
  active: { label: 'Active', tone: 'success', icon: 'check-circle' },
  cancelled: { label: 'Cancelled', tone: 'warning', icon: 'calendar' },
  past_due: { label: 'Past due', tone: 'error', icon: 'alert' },
  grace: { label: 'Ended', tone: 'error', icon: 'alert' },
  read_only: { label: 'Read-only', tone: 'error', icon: 'alert' },
} as const satisfies Record<SubscriptionState, StatusDisplay>

/** What its day means; empty where it has none. */
export function describeEndDate({ state, until }: Subscription, timeZone: string): string {
  if (!until) return ''
  const day = formatDate(until, timeZone)
  const words = {
    none: '',
    trial: `Your trial ends on ${day}.`,
    active: `Next billing on ${day}.`,
    cancelled: `It ends on ${day}. Until then everything goes on.`,
    past_due: `A payment is owed. Everything goes on until ${day}.`,
    grace: `It has ended. Everything goes on until ${day}.`,
    read_only: `You can read and export everything. Your data is kept until ${day} at least.`,
  } as const satisfies Record<SubscriptionState, string>
  return words[state]
}

const URGENT_STATES = ['past_due', 'grace', 'read_only'] as const

/** Whether something is to be done about it. */
export const isUrgent = (state: SubscriptionState): boolean => URGENT_STATES.some((one) => one === state)
