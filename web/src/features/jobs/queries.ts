import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { api, type Schema, unwrap, unwrapWithResponse } from '@/api/client'
import type { DayRange } from '@/domain/drilldown'
import type { JobStatusParam } from '@/domain/job'
import { jobsKey, leadJobsKey, leadMoneyKey } from '@/domain/query-keys'
import type { LeadSummary } from '@/domain/lead'
import { type ListTotal, readListTotal } from '@/lib/list-total'
import { parseNextCursor } from '@/lib/next-cursor'
import type { JobSummary } from './types'

/** What the board is narrowed to; an empty text means all, and `done` the days on which work was completed. */
export type JobFilters = { status: JobStatusParam | ''; crewId: string; q: string; done?: DayRange | undefined }

export const NO_JOB_FILTERS: JobFilters = { status: '', crewId: '', q: '' }

/** One page of the list, newest first, with the number of all. */
export type JobPage = ListTotal & { jobs: JobSummary[]; cursor: string | null }

const PAGE_SIZE = 60
/** As many as a crew can have in a day, and a person looks through. */
const DAY_PAGE_SIZE = 50
const SEARCH_RESULTS = 6

/** Without empty filters. */
export function toJobQuery({ status, crewId, q, done }: JobFilters) {
  return {
    ...(done ? { ...done, done: 'true' as const } : {}),
    ...(status === '' ? {} : { status }),
    ...(crewId === '' ? {} : { crewId }),
    ...(q === '' ? {} : { q }),
  }
}

export const hasJobFilters = (filters: JobFilters) => Object.values(filters).some(Boolean)

async function fetchPage(
  orgId: string,
  filters: JobFilters,
  cursor: string | null,
  signal: AbortSignal,
): Promise<JobPage> {
  const query = { orgId, limit: PAGE_SIZE, ...toJobQuery(filters), ...(cursor === null ? {} : { cursor }) }
  const { data: jobs, response } = await unwrapWithResponse(api.GET('/api/jobs', { params: { query }, signal }))
  return { jobs, ...readListTotal(response, jobs.length), cursor: parseNextCursor(response.headers.get('Link')) }
}

async function fetchLeads(orgId: string, q: string, signal: AbortSignal): Promise<LeadSummary[]> {
  const query = { limit: SEARCH_RESULTS, ...(q === '' ? {} : { q }) }
  const answer = await unwrap(api.GET('/api/leads/{x}', { params: { path: { x: orgId }, query }, signal }))
  return Array.isArray(answer) ? answer : []
}

export const jobQueries = {
  all: jobsKey,
  lists: (orgId: string) => [...jobQueries.all(orgId), 'list'] as const,
  list: (orgId: string, filters: JobFilters) =>
    infiniteQueryOptions({
      queryKey: [...jobQueries.lists(orgId), filters] as const,
      queryFn: ({ pageParam, signal }) => fetchPage(orgId, filters, pageParam, signal),
      initialPageParam: null as string | null,
      getNextPageParam: (page) => page.cursor,
      // Only the whole list is worth keeping: it can be narrowed without a network.
      ...(hasJobFilters(filters) ? { gcTime: 60_000 } : { meta: { offline: true } }),
    }),
  summary: (orgId: string) =>
    queryOptions({
      queryKey: [...jobQueries.all(orgId), 'summary'] as const,
      queryFn: ({ signal }) => unwrap(api.GET('/api/jobs/summary', { signal })),
      meta: { offline: true },
    }),
  /** What a crew has between two instants, for who looks where another visit fits. */
  busy: (orgId: string, crewId: string, from: string, to: string) =>
    queryOptions({
      queryKey: [...jobQueries.lists(orgId), 'busy', crewId, from, to] as const,
      queryFn: ({ signal }) =>
        unwrap(api.GET('/api/jobs', { params: { query: { orgId, crewId, from, to, limit: DAY_PAGE_SIZE } }, signal })),
      gcTime: 60_000,
    }),
  /** The jobs of a lead, newest first, as its page asks for them. */
  ofLead: (orgId: string, leadId: string) =>
    queryOptions({
      queryKey: leadJobsKey(orgId, leadId),
      queryFn: ({ signal }) =>
        unwrap(api.GET('/api/jobs', { params: { query: { orgId, leadId, limit: DAY_PAGE_SIZE } }, signal })),
      meta: { offline: true },
    }),
  /** The money of a job's lead with its invoices, under the lead's own key. */
  money: (orgId: string, leadId: string) =>
    queryOptions({
      queryKey: leadMoneyKey(orgId, leadId),
      queryFn: ({ signal }) => unwrap(api.GET('/api/leads/{id}/money', { params: { path: { id: leadId } }, signal })),
      meta: { offline: true },
    }),
  details: (orgId: string) => [...jobQueries.all(orgId), 'detail'] as const,
  detail: (orgId: string, id: string) =>
    queryOptions({
      queryKey: [...jobQueries.details(orgId), id] as const,
      queryFn: ({ signal }) => unwrap(api.GET('/api/jobs/{id}', { params: { path: { id } }, signal })),
      meta: { offline: true },
    }),
  /** Every version of its change orders, newest first, under the job's key, so that both are refetched together. */
  changeOrders: (orgId: string, id: string) =>
    queryOptions({
      queryKey: [...jobQueries.detail(orgId, id).queryKey, 'change-orders'] as const,
      queryFn: ({ signal }) => unwrap(api.GET('/api/jobs/{id}/change-orders', { params: { path: { id } }, signal })),
      meta: { offline: true },
    }),
  /** The server's totals of a change order, and the agreed amount with it; fetched after each pause in typing. */
  changeTotals: (orgId: string, id: string, body: Schema['EstimateRequest']) =>
    queryOptions({
      queryKey: [...jobQueries.details(orgId), id, 'change-totals', body] as const,
      queryFn: async ({ signal }) => {
        const answer = await unwrap(
          api.POST('/api/jobs/{id}/change-orders/preview', { params: { path: { id } }, body, signal }),
        )
        // The same address gives a PDF when it is asked for one.
        return typeof answer === 'string' ? null : answer
      },
      gcTime: 60_000,
    }),
  /** Leads a job can be added for. */
  leadChoices: (orgId: string, q: string) =>
    queryOptions({
      queryKey: [...jobQueries.all(orgId), 'lead-choices', q] as const,
      queryFn: ({ signal }) => fetchLeads(orgId, q, signal),
      gcTime: 60_000,
      staleTime: 0,
    }),
}
