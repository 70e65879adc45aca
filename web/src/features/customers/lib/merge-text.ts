// Texts of a merge preview.
import type { MergeSide } from '../types'

const NOUNS = [
  ['leads', 'lead', 'leads'],
  ['jobs', 'job', 'jobs'],
  ['messages', 'message', 'messages'],
  ['calls', 'call', 'calls'],
  ['estimates', 'estimate', 'estimates'],
  ['invoices', 'invoice', 'invoices'],
  ['payments', 'payment', 'payments'],
  ['properties', 'place', 'places'],
] as const

/** `2 leads, 1 job`; what there is none of is left out. */
export function describeRecords(side: MergeSide): string {
  const counts = NOUNS.filter(([name]) => side[name] > 0).map(
    ([name, one, more]) => `${side[name]} ${side[name] === 1 ? one : more}`,
  )
  return counts.join(', ') || 'Nothing yet'
}

const OPT_OUT_LABELS = { stopped: 'They said STOP', paused: 'They may have said STOP', lifted: 'Allowed' } as const

/** Whether they may be texted. */
export function describeTextConsent({ optedOut, isBlocked }: Pick<MergeSide, 'optedOut' | 'isBlocked'>): string {
  return `${optedOut ? OPT_OUT_LABELS[optedOut] : 'Allowed'}${isBlocked ? ', no automatic messages' : ''}`
}

/** Whether they agreed to review requests and offers. */
export function describeOfferConsent({ agreedToOffers }: Pick<MergeSide, 'agreedToOffers'>): string {
  if (typeof agreedToOffers !== 'boolean') return 'They have not said yes or no'
  return agreedToOffers ? 'Agreed' : 'Not agreed'
}
