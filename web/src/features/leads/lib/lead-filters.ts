// Filters and order of the lead list, as the URL and the API name them.
import { LEAD_STAGE_ORDER, type LeadStage, type LeadSummary } from '@/domain/lead'
import { t } from '@/lib/i18n'

export const LEAD_SORTS = {
  last_touch: t('Latest activity'),
  newest: t('Newest first'),
  oldest: t('Oldest first'),
  value: t('Highest value'),
  longest_waiting: t('Longest waiting'),
} as const
export type LeadSort = keyof typeof LEAD_SORTS
export const DEFAULT_SORT: LeadSort = 'last_touch'

export type LeadFilters = {
  stage?: LeadStage
  source?: string
  waiting?: 'true'
  /** A member's id, or `UNASSIGNED`. */
  owner?: string
  /** Absent for the default. */
  sort?: LeadSort
}
export type LeadFilterPatch = { [Name in keyof LeadFilters]?: string | undefined }

export const FILTER_PARAMS = ['stage', 'source', 'waiting', 'owner', 'sort'] as const satisfies (keyof LeadFilters)[]
export const UNASSIGNED = 'none'

const OWNER = /^(none|[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12})$/i
const MAX_SOURCE_LENGTH = 60

/** What does not fit is left out. Only leads that wait have the order of the longest wait. */
export function parseLeadFilters(params: URLSearchParams): LeadFilters {
  const read = (name: keyof LeadFilters) => params.get(name)?.trim() ?? ''
  const stage = LEAD_STAGE_ORDER.find((known) => known === read('stage'))
  const sort = (Object.keys(LEAD_SORTS) as LeadSort[]).find((known) => known === read('sort'))
  const [source, owner] = [read('source'), read('owner')]
  return {
    ...(stage && { stage }),
    ...(source !== '' && source.length <= MAX_SOURCE_LENGTH && { source }),
    ...((read('waiting') === 'true' || sort === 'longest_waiting') && { waiting: 'true' as const }),
    ...(OWNER.test(owner) && { owner }),
    ...(sort && sort !== DEFAULT_SORT && { sort }),
  }
}

/** The filters with a change. Without those who wait there is no longest wait. */
export function patchLeadFilters(filters: LeadFilters, patch: LeadFilterPatch): LeadFilters {
  const isWaitOver = 'waiting' in patch && !patch.waiting && filters.sort === 'longest_waiting'
  const merged = { ...filters, ...(isWaitOver && { sort: undefined }), ...patch }
  const entries = Object.entries(merged).filter((entry): entry is [string, string] => Boolean(entry[1]))
  return parseLeadFilters(new URLSearchParams(entries))
}

export const hasFilters = (filters: LeadFilters) => Object.keys(filters).length > 0

/** Whether leads are left out; an order leaves out none. */
export const isNarrowing = (filters: LeadFilters) => Object.keys(filters).some((name) => name !== 'sort')

/** Dollars: what was quoted, else what was collected. */
export function getLeadValue({ quotedTotal, collectedAmount }: LeadSummary): number | undefined {
  return quotedTotal ?? collectedAmount ?? undefined
}

const SORT_KEYS = {
  last_touch: ({ lastTouchAt }) => -Date.parse(lastTouchAt),
  newest: ({ createdAt }) => -Date.parse(createdAt),
  oldest: ({ createdAt }) => Date.parse(createdAt),
  value: (lead) => -(getLeadValue(lead) ?? 0),
  longest_waiting: ({ waitingSince }) => Date.parse(waitingSince ?? ''),
} as const satisfies Record<LeadSort, (lead: LeadSummary) => number>

/** The server's filters and order applied to the leads that this device has. */
export function filterLeads(leads: readonly LeadSummary[], filters: LeadFilters): LeadSummary[] {
  const { stage, source, waiting, owner, sort = DEFAULT_SORT } = filters
  const key = SORT_KEYS[sort]
  return leads
    .filter(
      (lead) =>
        (!stage || lead.stage === stage) &&
        (!source || lead.source === source) &&
        (!waiting || Boolean(lead.waitingSince)) &&
        (!owner || (lead.ownerUserId ?? UNASSIGNED) === owner),
    )
    .toSorted((one, other) => key(one) - key(other))
}
