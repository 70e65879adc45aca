// Estimate states: label, tone, icon. A new API value fails the type check.
import type { Tone } from '@/domain/tone'
import { t } from '@/lib/i18n'
import type { EstimateView } from './types'

type EstimateStatus = EstimateView['status']

export const ESTIMATE_STATUSES = {
  preparing: { label: t('Being made'), tone: 'info', icon: 'clock' },
  open: { label: t('Open'), tone: 'info', icon: 'document' },
  expired: { label: t('Expired'), tone: 'warning', icon: 'clock' },
  approved: { label: t('Approved'), tone: 'success', icon: 'check-circle' },
  declined: { label: t('Declined'), tone: 'error', icon: 'close' },
  replaced: { label: t('Replaced'), tone: 'neutral', icon: 'refresh' },
  superseded: { label: t('Superseded'), tone: 'neutral', icon: 'refresh' },
  withdrawn: { label: t('Withdrawn'), tone: 'neutral', icon: 'close' },
} as const satisfies Record<EstimateStatus, { label: string; tone: Tone; icon: string }>

/** Those that are still a matter between the business and the customer. */
const CURRENT_STATUSES: ReadonlySet<EstimateStatus> = new Set(['preparing', 'open', 'expired', 'approved', 'declined'])

/** Current estimates and earlier ones. Without a current one the newest counts as current. */
export function splitByRelevance(estimates: readonly EstimateView[]): {
  current: readonly EstimateView[]
  earlier: readonly EstimateView[]
} {
  const current = estimates.filter(({ status }) => CURRENT_STATUSES.has(status))
  const shown = current.length > 0 ? current : estimates.slice(0, 1)
  return { current: shown, earlier: estimates.filter((estimate) => !shown.includes(estimate)) }
}

/** Actions available in each status. */
export type EstimatePermissions = { send: boolean; revise: boolean; withdraw: boolean }

/** An approved estimate can be followed by another version but not withdrawn. */
export const getEstimatePermissions = ({ status }: EstimateView): EstimatePermissions => ({
  send: status === 'open',
  revise: status === 'open' || status === 'expired' || status === 'declined' || status === 'approved',
  withdraw: status === 'open' || status === 'expired',
})

/** Whether a new link makes sense: without one the estimate cannot be opened. */
export const canRenewLink = ({ status }: EstimateView) => status === 'open' || status === 'approved'
