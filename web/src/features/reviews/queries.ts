import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { api, ApiError, unwrap, unwrapWithResponse } from '@/api/client'
import { customersKey, reviewsKey } from '@/domain/query-keys'
import { t } from '@/lib/i18n'
import { parseNextCursor } from '@/lib/next-cursor'
import type { ReviewAskState } from './types'

/** From one day to another, both among them; a figure of the dashboard leads here with its own. */
export type ReviewDays = { from: string; to: string }
/** What the list is narrowed to; an empty text means all. */
export type ReviewFilters = ReviewDays & {
  q: string
  source: string
  /** Only those whose customer is not known. */ unmatched: boolean
}
export type RequestFilters = ReviewDays & { q: string; state: ReviewAskState | ''; customerId: string }

export const ALL_DAYS: ReviewDays = { from: '', to: '' }
export const NO_REVIEW_FILTERS: ReviewFilters = { q: '', source: '', unmatched: false, ...ALL_DAYS }

/** One page of a list, newest first, with the number of all. */
export type ListPage<T> = { items: T[]; total: number; cursor: string | null }

const PAGE_SIZE = 60
const SEARCH_RESULTS = 6

export function toDaysQuery({ from, to }: ReviewDays) {
  return { ...(from === '' ? {} : { from }), ...(to === '' ? {} : { to }) }
}

/** Without empty filters. */
export function toReviewQuery({ q, source, unmatched, ...days }: ReviewFilters) {
  return {
    ...(q === '' ? {} : { q }),
    ...(source === '' ? {} : { source }),
    ...(unmatched ? { unmatched: 'true' as const } : {}),
    ...toDaysQuery(days),
  }
}

export const hasReviewFilters = (filters: ReviewFilters) => Object.keys(toReviewQuery(filters)).length > 0

export function toRequestQuery({ q, state, customerId, ...days }: RequestFilters) {
  return {
    ...(q === '' ? {} : { q }),
    ...(state === '' ? {} : { state }),
    ...(customerId === '' ? {} : { customerId }),
    ...toDaysQuery(days),
  }
}

function toPage<T>(items: T[], response: Response): ListPage<T> {
  const total = Number(response.headers.get('X-Total-Count') ?? Number.NaN)
  return {
    items,
    total: Number.isFinite(total) ? total : items.length,
    cursor: parseNextCursor(response.headers.get('Link')),
  }
}

const toPagingQuery = (cursor: string | null) => ({ limit: PAGE_SIZE, ...(cursor === null ? {} : { cursor }) })

async function fetchReviews(filters: ReviewFilters, cursor: string | null, signal: AbortSignal) {
  const query = { ...toPagingQuery(cursor), ...toReviewQuery(filters) }
  const { data, response } = await unwrapWithResponse(api.GET('/api/reviews', { params: { query }, signal }))
  return toPage(data, response)
}

async function fetchReviewRequests(filters: RequestFilters, cursor: string | null, signal: AbortSignal) {
  const query = { ...toPagingQuery(cursor), ...toRequestQuery(filters) }
  const { data, response } = await unwrapWithResponse(api.GET('/api/reviews/asks', { params: { query }, signal }))
  return toPage(data, response)
}

export const reviewQueries = {
  all: reviewsKey,
  list: (orgId: string, filters: ReviewFilters) =>
    infiniteQueryOptions({
      queryKey: [...reviewQueries.all(orgId), 'list', filters] as const,
      queryFn: ({ pageParam, signal }) => fetchReviews(filters, pageParam, signal),
      initialPageParam: null as string | null,
      getNextPageParam: (page) => page.cursor,
      // Only the whole list is worth keeping.
      ...(hasReviewFilters(filters) ? { gcTime: 60_000 } : { meta: { offline: true } }),
    }),
  summary: (orgId: string) =>
    queryOptions({
      queryKey: [...reviewQueries.all(orgId), 'summary'] as const,
      queryFn: ({ signal }) => unwrap(api.GET('/api/reviews/summary', { signal })),
      meta: { offline: true },
    }),
  detail: (orgId: string, id: string) =>
    queryOptions({
      queryKey: [...reviewQueries.all(orgId), 'detail', id] as const,
      queryFn: ({ signal }) => unwrap(api.GET('/api/reviews/{id}', { params: { path: { id } }, signal })),
    }),
  asks: (orgId: string, filters: RequestFilters) =>
    infiniteQueryOptions({
      queryKey: [...reviewQueries.all(orgId), 'asks', filters] as const,
      queryFn: ({ pageParam, signal }) => fetchReviewRequests(filters, pageParam, signal),
      initialPageParam: null as string | null,
      getNextPageParam: (page) => page.cursor,
      ...(Object.keys(toRequestQuery(filters)).length > 0 ? { gcTime: 60_000 } : { meta: { offline: true } }),
    }),
  /** How the asking went in a month, `2026-11`. */
  report: (orgId: string, month: string) =>
    queryOptions({
      queryKey: [...reviewQueries.all(orgId), 'report', month] as const,
      queryFn: async ({ signal }) => {
        const answer = await unwrap(api.GET('/api/reviews/report', { params: { query: { month } }, signal }))
        // The same address gives a file when it is asked for one.
        if (typeof answer === 'string') throw new ApiError({ status: 406, detail: t('This is not a report.') })
        return answer
      },
      meta: { offline: true },
    }),
  /** A few customers, for who says whose a review is. */
  customers: (orgId: string, q: string) =>
    queryOptions({
      queryKey: [...reviewQueries.all(orgId), 'customers', q] as const,
      queryFn: ({ signal }) =>
        unwrap(
          api.GET('/api/customers', {
            params: { query: { limit: SEARCH_RESULTS, ...(q === '' ? {} : { q }) } },
            signal,
          }),
        ),
      gcTime: 60_000,
    }),
  /** The jobs of one of them, under the record's own key. */
  customer: (orgId: string, id: string) =>
    queryOptions({
      queryKey: [...customersKey(orgId), 'detail', id] as const,
      queryFn: ({ signal }) => unwrap(api.GET('/api/customers/{id}', { params: { path: { id } }, signal })),
      meta: { offline: true },
    }),
}
