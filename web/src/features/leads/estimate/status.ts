// The states of an estimate with their words, tones and icons. A new value in the API breaks the build here.
import type { Tone } from '@/domain/tone'
import type { EstimateView } from '../queries'

export type EstimateStatus = EstimateView['status']

export const ESTIMATE_STATUSES = {
  preparing: { label: 'Being made', tone: 'info', icon: 'clock' },
  open: { label: 'Open', tone: 'info', icon: 'document' },
  expired: { label: 'Expired', tone: 'warning', icon: 'clock' },
  approved: { label: 'Approved', tone: 'success', icon: 'check-circle' },
  declined: { label: 'Declined', tone: 'error', icon: 'close' },
  replaced: { label: 'Replaced', tone: 'neutral', icon: 'refresh' },
  superseded: { label: 'Superseded', tone: 'neutral', icon: 'refresh' },
  withdrawn: { label: 'Withdrawn', tone: 'neutral', icon: 'close' },
} as const satisfies Record<EstimateStatus, { label: string; tone: Tone; icon: string }>

/** Those that are still a matter between the business and the customer. */
const CURRENT: ReadonlySet<EstimateStatus> = new Set(['preparing', 'open', 'expired', 'approved', 'declined'])

/** What is worth a look now, and what was before it. Without anything current the newest stands for it. */
export function byWorth(estimates: readonly EstimateView[]): { current: readonly EstimateView[]; earlier: readonly EstimateView[] } {
  const current = estimates.filter(({ status }) => CURRENT.has(status))
  const shown = current.length > 0 ? current : estimates.slice(0, 1)
  return { current: shown, earlier: estimates.filter((estimate) => !shown.includes(estimate)) }
}

/** Whether the customer can be asked about it once more. */
export const canBeSent = ({ status }: EstimateView) => status === 'open'
/** Whether it can be taken back: what was approved stands. */
export const canBeWithdrawn = ({ status }: EstimateView) => status === 'open' || status === 'expired'

/** Whether another version may take its place, at once or once that is approved. */
export const canBeRevised = ({ status }: EstimateView) => status === 'open' || status === 'expired' || status === 'declined' || status === 'approved'

/** Whether a new address makes sense: without one nobody could open it. */
export const canBeRelinked = ({ status }: EstimateView) => status === 'open' || status === 'approved'

/** The one that another estimate of the lead continues; what was withdrawn is not continued. */
export function continued(estimates: readonly EstimateView[]): EstimateView | undefined {
  return estimates.find(({ status }) => status !== 'withdrawn')
}
