// Recovered-revenue queries, nested in the figures' key and invalidated with them.
import { infiniteQueryOptions, queryOptions, useMutation } from '@tanstack/react-query'
import { api, type Schema, unwrap, unwrapWithResponse } from '@/api/client'
import type { DayRange } from '@/domain/drilldown'
import { figuresKey } from '@/domain/query-keys'
import { getAttachmentName, saveFile } from '@/lib/download'
import { type ListTotal, readListTotal } from '@/lib/list-total'
import { parseNextCursor } from '@/lib/next-cursor'
import { recoveredMessages as texts } from './messages'

export type RecoveryCategory = Schema['RecoveredBy']
export type AttributionChain = Schema['RecoveredChain']
export type MeasuredGain = Schema['MeasuredGain']
export type RecoveredQuery = DayRange & { category?: RecoveryCategory }

type Page = ListTotal & { chains: AttributionChain[]; cursor: string | null }

const recoveredKey = (orgId: string) => [...figuresKey(orgId), 'recovered'] as const

async function fetchPage(filters: RecoveredQuery, cursor: string | null, signal: AbortSignal): Promise<Page> {
  const query = { limit: 20, ...filters, ...(cursor === null ? {} : { cursor }) }
  const { data: chains, response } = await unwrapWithResponse(
    api.GET('/api/recovered/chains', { params: { query }, signal }),
  )
  return { chains, ...readListTotal(response, chains.length), cursor: parseNextCursor(response.headers.get('Link')) }
}

export const recoveredQueries = {
  sums: (orgId: string, days: DayRange) =>
    queryOptions({
      queryKey: [...recoveredKey(orgId), 'sums', days] as const,
      queryFn: ({ signal }) => unwrap(api.GET('/api/recovered', { params: { query: days }, signal })),
    }),
  chains: (orgId: string, filters: RecoveredQuery) =>
    infiniteQueryOptions({
      queryKey: [...recoveredKey(orgId), 'chains', filters] as const,
      queryFn: ({ pageParam, signal }) => fetchPage(filters, pageParam, signal),
      initialPageParam: null as string | null,
      getNextPageParam: (page) => page.cursor,
    }),
}

/** Downloads the cases as they are narrowed. */
export function useExportChains(filters: RecoveredQuery) {
  return useMutation({
    mutationFn: async () => {
      const { data, response } = await unwrapWithResponse(
        api.GET('/api/recovered/export', { params: { query: filters }, parseAs: 'blob' }),
      )
      saveFile(data, getAttachmentName(response, 'recovered.csv'))
    },
    meta: texts.export,
  })
}
