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

/** Current offers and earlier ones. Without a current one the newest counts as current. */
export function splitByRelevance(offers: readonly Offer[]): { current: readonly Offer[]; earlier: readonly Offer[] } {
  const current = offers.filter(({ status }) => CURRENT_STATUSES.has(status))
  const shown = current.length > 0 ? current : offers.slice(0, 1)
  return { current: shown, earlier: offers.filter((offer) => !shown.includes(offer)) }
}

/** Actions available in each status. */
export type OfferPermissions = { send: boolean; revise: boolean; withdraw: boolean }

/** An approved offer can be followed by another version but not withdrawn. */
export const getOfferPermissions = ({ status }: Offer): OfferPermissions => ({
  send: status === 'open',
  revise: status === 'open' || status === 'expired' || status === 'declined' || status === 'approved',
  withdraw: status === 'open' || status === 'expired',
})

/** Whether a new link makes sense: without one the offer cannot be opened. */
export const canRenewLink = ({ status }: Offer) => status === 'open' || status === 'approved'
