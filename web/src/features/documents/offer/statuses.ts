// Offer states: label, tone, icon. A new API value fails the type check.
import type { Tone } from '@/domain/tone'
import type { Offer } from './types'

type OfferStatus = Offer['status']

export const OFFER_STATUSES = {
  preparing: { label: 'Being made', tone: 'info', icon: 'clock' },
  open: { label: 'Open', tone: 'info', icon: 'document' },
  expired: { label: 'Expired', tone: 'warning', icon: 'clock' },
  approved: { label: 'Approved', tone: 'success', icon: 'check-circle' },
  declined: { label: 'Declined', tone: 'error', icon: 'close' },
  replaced: { label: 'Replaced', tone: 'neutral', icon: 'refresh' },
  superseded: { label: 'Superseded', tone: 'neutral', icon: 'refresh' },
  withdrawn: { label: 'Withdrawn', tone: 'neutral', icon: 'close' },
} as const satisfies Record<OfferStatus, { label: string; tone: Tone; icon: string }>

/** Those that are still a matter between the business and the customer. */
const CURRENT_STATUSES: ReadonlySet<OfferStatus> = new Set(['preparing', 'open', 'expired', 'approved', 'declined'])

/** What is worth a look now, and what was before it. Without anything current the newest stands for it. */
export function splitByRelevance(offers: readonly Offer[]): { current: readonly Offer[]; earlier: readonly Offer[] } {
  const current = offers.filter(({ status }) => CURRENT_STATUSES.has(status))
  const shown = current.length > 0 ? current : offers.slice(0, 1)
  return { current: shown, earlier: offers.filter((offer) => !shown.includes(offer)) }
}

/** What can be done with one as it stands. */
export type OfferPermissions = { send: boolean; revise: boolean; withdraw: boolean }

/** What was approved stands: it can be followed by another version, not taken back. */
export const getOfferPermissions = ({ status }: Offer): OfferPermissions => ({
  send: status === 'open',
  revise: status === 'open' || status === 'expired' || status === 'declined' || status === 'approved',
  withdraw: status === 'open' || status === 'expired',
})

/** Whether a new address makes sense: without one nobody could open it. */
export const canRenewLink = ({ status }: Offer) => status === 'open' || status === 'approved'
