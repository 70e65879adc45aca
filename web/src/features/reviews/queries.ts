// What is fetched about reviews, and under which keys. Keys start with the org, so that two never share a cache.
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { api, ApiError, unwrap, unwrapWithResponse } from '@/api/client'
import { customersKey, reviewsKey } from '@/domain/query-keys'
import { nextCursor } from '@/lib/next-cursor'
import type { AskState } from './types'

/** From one day to another, both among them; a figure of the dashboard leads here with its own. */
export type Days = { from: string; to: string }
/** What the list is narrowed to; an empty text means all. */
export type ReviewFilters = Days & {
  q: string
  source: string
  /** Only those whose customer is not known. */ unmatched: boolean
}
export type AskFilters = Days & { q: string; state: AskState | ''; customerId: string }

export const ALL_DAYS: Days = { from: '', to: '' }
export const NO_FILTERS: ReviewFilters = { q: '', source: '', unmatched: false, ...ALL_DAYS }

/** One page of a list, newest first, with the number of all. */
export type Page<T> = { items: T[]; total: number; cursor: string | null }

const PAGE_SIZE = 60
const CHOICES = 6

export function daysAskedFor({ from, to }: Days) {
  return { ...(from === '' ? {} : { from }), ...(to === '' ? {} : { to }) }
}

/** Only what is asked for: an empty filter is none. */
export function askedFor({ q, source, unmatched, ...days }: ReviewFilters) {
  return {
    ...(q === '' ? {} : { q }),
    ...(source === '' ? {} : { source }),
    ...(unmatched ? { unmatched: 'true' as const } : {}),
    ...daysAskedFor(days),
  }
}

export const isNarrowed = (filters: ReviewFilters) => Object.keys(askedFor(filters)).length > 0

export function asksAskedFor({ q, state, customerId, ...days }: AskFilters) {
  return {
    ...(q === '' ? {} : { q }),
    ...(state === '' ? {} : { state }),
    ...(customerId === '' ? {} : { customerId }),
    ...daysAskedFor(days),
  }
}

function toPage<T>(items: T[], response: Response): Page<T> {
  const total = Number(response.headers.get('X-Total-Count') ?? Number.NaN)
  return {
    items,
    total: Number.isFinite(total) ? total : items.length,
    cursor: nextCursor(response.headers.get('Link')),
  }
}

const paging = (cursor: string | null) => ({ limit: PAGE_SIZE, ...(cursor === null ? {} : { cursor }) })

async function fetchReviews(filters: ReviewFilters, cursor: string | null, signal: AbortSignal) {
  const query = { ...paging(cursor), ...askedFor(filters) }
  const { data, response } = await unwrapWithResponse(api.GET('/api/reviews', { params: { query }, signal }))
  return toPage(data, response)
}

async function fetchAsks(filters: AskFilters, cursor: string | null, signal: AbortSignal) {
  const query = { ...paging(cursor), ...asksAskedFor(filters) }
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
      ...(isNarrowed(filters) ? { gcTime: 60_000 } : { meta: { offline: true } }),
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
  asks: (orgId: string, filters: AskFilters) =>
    infiniteQueryOptions({
      queryKey: [...reviewQueries.all(orgId), 'asks', filters] as const,
      queryFn: ({ pageParam, signal }) => fetchAsks(filters, pageParam, signal),
      initialPageParam: null as string | null,
      getNextPageParam: (page) => page.cursor,
      ...(Object.keys(asksAskedFor(filters)).length > 0 ? { gcTime: 60_000 } : { meta: { offline: true } }),
    }),
  /** How the asking went in a month, `2026-11`. */
  report: (orgId: string, month: string) =>
    queryOptions({
      queryKey: [...reviewQueries.all(orgId), 'report', month] as const,
      queryFn: async ({ signal }) => {
        const answer = await unwrap(api.GET('/api/reviews/report', { params: { query: { month } }, signal }))
        // The same address gives a file when it is asked for one.
        if (typeof answer === 'string') throw new ApiError({ status: 406, detail: 'This is not a report.' })
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
          api.GET('/api/customers', { params: { query: { limit: CHOICES, ...(q === '' ? {} : { q }) } }, signal }),
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
