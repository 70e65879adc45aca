// Document settings and price book.
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { api, type Schema, unwrap, unwrapWithResponse } from '@/api/client'
import { pricesKey } from '@/domain/query-keys'
import { parseNextCursor } from '@/lib/next-cursor'

export type PriceItem = Schema['PriceItem']

/** One page of the price book, by name, with the number of all. */
export type PricePage = { items: PriceItem[]; total: number; cursor: string | null }

/** `active` alone is what can be put on a paper. */
export type PriceFilters = { q: string; active: boolean | undefined }

const PAGE_SIZE = 50

async function fetchPage({ q, active }: PriceFilters, cursor: string | null, signal: AbortSignal): Promise<PricePage> {
  const query = {
    limit: PAGE_SIZE,
    ...(q === '' ? {} : { q }),
    ...(active === undefined ? {} : { active: active ? ('true' as const) : ('false' as const) }),
    ...(cursor === null ? {} : { cursor }),
  }
  const { data: items, response } = await unwrapWithResponse(api.GET('/api/price-items', { params: { query }, signal }))
  const total = Number(response.headers.get('X-Total-Count') ?? Number.NaN)
  return {
    items,
    total: Number.isFinite(total) ? total : items.length,
    cursor: parseNextCursor(response.headers.get('Link')),
  }
}

export const documentQueries = {
  /** Under the settings' key, which live events refresh. */
  settings: (orgId: string) =>
    queryOptions({
      queryKey: ['org', orgId, 'settings', 'papers'] as const,
      queryFn: async ({ signal }) => {
        const { estimates, invoicing } = await unwrap(
          api.GET('/api/org/{orgId}/settings', { params: { path: { orgId } }, signal }),
        )
        return { estimates, invoicing }
      },
    }),
  prices: (orgId: string, filters: PriceFilters) =>
    infiniteQueryOptions({
      queryKey: [...pricesKey(orgId), filters] as const,
      queryFn: ({ pageParam, signal }) => fetchPage(filters, pageParam, signal),
      initialPageParam: null as string | null,
      getNextPageParam: (page) => page.cursor,
      gcTime: 60_000,
    }),
}
