// Texts of a merge preview.
import { pgettext, plural, t } from '@/lib/i18n'
import type { MergeSide } from '../types'

const COUNTS = [
  ['leads', (count: number) => plural(count, '{count} lead', '{count} leads')],
  ['jobs', (count: number) => plural(count, '{count} job', '{count} jobs')],
  ['messages', (count: number) => plural(count, '{count} message', '{count} messages')],
  ['calls', (count: number) => plural(count, '{count} call', '{count} calls')],
  ['estimates', (count: number) => plural(count, '{count} estimate', '{count} estimates')],
  ['invoices', (count: number) => plural(count, '{count} invoice', '{count} invoices')],
  ['payments', (count: number) => plural(count, '{count} payment', '{count} payments')],
  ['properties', (count: number) => plural(count, '{count} place', '{count} places')],
] as const

/** `2 leads, 1 job`; what there is none of is left out. */
export function describeRecords(side: MergeSide): string {
  const counts = COUNTS.filter(([name]) => side[name] > 0).map(([name, describe]) => describe(side[name]))
  return counts.join(', ') || t('Nothing yet')
}

const OPT_OUT_LABELS = {
  stopped: t('They said STOP'),
  paused: t('They may have said STOP'),
  lifted: t('Allowed'),
} as const

/** Whether they may be texted. */
export function describeTextConsent({ optedOut, isBlocked }: Pick<MergeSide, 'optedOut' | 'isBlocked'>): string {
  const label = optedOut ? OPT_OUT_LABELS[optedOut] : t('Allowed')
  return isBlocked ? `${label}, ${t('no automatic messages')}` : label
}

/** Whether they agreed to review requests and offers. */
export function describeOfferConsent({ agreedToOffers }: Pick<MergeSide, 'agreedToOffers'>): string {
  if (typeof agreedToOffers !== 'boolean') return t('They have not said yes or no')
  return agreedToOffers ? pgettext('consent', 'Agreed') : t('Not agreed')
}
