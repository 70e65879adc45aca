import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { api, ApiError, type Schema, unwrap, unwrapWithResponse } from '@/api/client'
import type { LeadSummary } from '@/domain/lead'
import { leadJobsKey, leadKey, leadListsKey, leadMoneyKey, leadsKey } from '@/domain/query-keys'
import type { LeadDrilldown } from '@/domain/drilldown'
import { type ListTotal, readListTotal } from '@/lib/list-total'
import { parseNextCursor } from '@/lib/next-cursor'
import type { LeadFilters } from './lib/lead-filters'

export type LeadDetail = Schema['LeadDetail']
export type LeadMoney = Schema['LeadMoney']

/** What the list is narrowed to besides words, and its order: the two never come together. */
export type LeadNarrowing = LeadDrilldown & LeadFilters

/** One page of the list, with the number of all. */
export type LeadPage = ListTotal & { leads: LeadSummary[]; cursor: string | null }

const PAGE_SIZE = 100
const JOBS_PAGE_SIZE = 50

async function fetchPage(
  orgId: string,
  q: string,
  narrowing: LeadNarrowing,
  cursor: string | null,
  signal: AbortSignal,
): Promise<LeadPage> {
  const query = { limit: PAGE_SIZE, ...(q === '' ? {} : { q }), ...narrowing, ...(cursor === null ? {} : { cursor }) }
  const { data, response } = await unwrapWithResponse(
    api.GET('/api/leads/{x}', { params: { path: { x: orgId }, query }, signal }),
  )
  const leads = Array.isArray(data) ? data : []
  return { leads, ...readListTotal(response, leads.length), cursor: parseNextCursor(response.headers.get('Link')) }
}

async function fetchLead(id: string, signal: AbortSignal): Promise<LeadDetail> {
  const answer = await unwrap(api.GET('/api/leads/{x}', { params: { path: { x: id } }, signal }))
  // The same address lists an org's leads: an org's name in place of a lead's id is no lead.
  if (Array.isArray(answer)) throw new ApiError({ status: 404, code: 'not_found', detail: 'This is not a lead.' })
  return answer
}

export const leadQueries = {
  all: leadsKey,
  lists: leadListsKey,
  /** All of them, what a search or a filter finds, or what a figure counts. */
  list: (orgId: string, q: string, narrowing: LeadNarrowing = {}) =>
    infiniteQueryOptions({
      queryKey: [...leadQueries.lists(orgId), { q, ...narrowing }] as const,
      queryFn: ({ pageParam, signal }) => fetchPage(orgId, q, narrowing, pageParam, signal),
      initialPageParam: null as string | null,
      getNextPageParam: (page) => page.cursor,
      // Only the whole list is worth keeping: a search can be made on it without a network.
      ...(q === '' && Object.keys(narrowing).length === 0 ? { meta: { offline: true } } : { gcTime: 60_000 }),
    }),
  detail: (orgId: string, id: string) =>
    queryOptions({
      queryKey: leadKey(orgId, id),
      queryFn: ({ signal }) => fetchLead(id, signal),
      meta: { offline: true },
    }),
  /** Its documents and amounts are under its key, so that they are refetched together. */
  estimates: (orgId: string, id: string) =>
    queryOptions({
      queryKey: [...leadQueries.detail(orgId, id).queryKey, 'estimates'] as const,
      queryFn: ({ signal }) => unwrap(api.GET('/api/leads/{id}/estimates', { params: { path: { id } }, signal })),
      meta: { offline: true },
    }),
  money: (orgId: string, id: string) =>
    queryOptions({
      queryKey: leadMoneyKey(orgId, id),
      queryFn: ({ signal }) => unwrap(api.GET('/api/leads/{id}/money', { params: { path: { id } }, signal })),
      meta: { offline: true },
    }),
  /** Its jobs, newest first, under the key of the jobs. */
  jobs: (orgId: string, id: string) =>
    queryOptions({
      queryKey: leadJobsKey(orgId, id),
      queryFn: ({ signal }) =>
        unwrap(api.GET('/api/jobs', { params: { query: { orgId, leadId: id, limit: JOBS_PAGE_SIZE } }, signal })),
      meta: { offline: true },
    }),
  /** What lines come to by the server's word; asked for every pause in the typing. */
  estimateTotals: (orgId: string, body: Schema['EstimatePreviewRequest']) =>
    queryOptions({
      queryKey: ['org', orgId, 'estimate-totals', body] as const,
      queryFn: async ({ signal }) => {
        const answer = await unwrap(api.POST('/api/estimates/preview', { body, signal }))
        // The same address gives a PDF when it is asked for one.
        return typeof answer === 'string' ? [] : answer.totals.byOption
      },
      gcTime: 60_000,
    }),
  alerts: (orgId: string) => ['org', orgId, 'alerts'] as const,
  /** What the people of the business must hear of, open ones first. */
  alertList: (orgId: string) =>
    queryOptions({
      queryKey: leadQueries.alerts(orgId),
      queryFn: ({ signal }) => unwrap(api.GET('/api/alerts', { signal })),
      // They stand above the list: coming after it they would push it down.
      meta: { offline: true },
    }),
}
