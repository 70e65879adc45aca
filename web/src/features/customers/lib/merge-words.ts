// What two records that may be one have, in words.
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
export function belongings(side: MergeSide): string {
  const said = NOUNS.filter(([name]) => side[name] > 0).map(
    ([name, one, more]) => `${side[name]} ${side[name] === 1 ? one : more}`,
  )
  return said.join(', ') || 'Nothing yet'
}

const STOPS = { stopped: 'They said STOP', paused: 'They may have said STOP', lifted: 'Allowed' } as const

/** Whether they may be texted. */
export function textsWords({ optedOut, isBlocked }: Pick<MergeSide, 'optedOut' | 'isBlocked'>): string {
  return `${optedOut ? STOPS[optedOut] : 'Allowed'}${isBlocked ? ', blocked for rules' : ''}`
}

/** Whether they agreed to review requests and offers. */
export function offersWords({ agreedToOffers }: Pick<MergeSide, 'agreedToOffers'>): string {
  if (typeof agreedToOffers !== 'boolean') return 'Never asked'
  return agreedToOffers ? 'Agreed' : 'Not agreed'
}
