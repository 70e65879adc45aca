// What is fetched of the recovered money. Under the key of the figures: whatever moves one moves the other.
import { infiniteQueryOptions, queryOptions, useMutation } from '@tanstack/react-query'
import { api, type Schema, unwrap, unwrapWithResponse } from '@/api/client'
import type { Days } from '@/domain/behind'
import { figuresKey } from '@/domain/query-keys'
import { attachmentName, saveFile } from '@/lib/download'
import { type ListTotal, listTotal } from '@/lib/list-total'
import { nextCursor } from '@/lib/next-cursor'
import { recoveredMessages as texts } from './messages'

export type Category = Schema['RecoveredBy']
export type Chain = Schema['RecoveredChain']
export type Gain = Schema['MeasuredGain']
export type Asked = Days & { category?: Category }

type Page = ListTotal & { chains: Chain[]; cursor: string | null }

const key = (orgId: string) => [...figuresKey(orgId), 'recovered'] as const

async function fetchPage(asked: Asked, cursor: string | null, signal: AbortSignal): Promise<Page> {
  const query = { limit: 20, ...asked, ...(cursor === null ? {} : { cursor }) }
  const { data: chains, response } = await unwrapWithResponse(
    api.GET('/api/recovered/chains', { params: { query }, signal }),
  )
  return { chains, ...listTotal(response, chains.length), cursor: nextCursor(response.headers.get('Link')) }
}

export const recoveredQueries = {
  sums: (orgId: string, days: Days) =>
    queryOptions({
      queryKey: [...key(orgId), 'sums', days] as const,
      queryFn: ({ signal }) => unwrap(api.GET('/api/recovered', { params: { query: days }, signal })),
    }),
  chains: (orgId: string, asked: Asked) =>
    infiniteQueryOptions({
      queryKey: [...key(orgId), 'chains', asked] as const,
      queryFn: ({ pageParam, signal }) => fetchPage(asked, pageParam, signal),
      initialPageParam: null as string | null,
      getNextPageParam: (page) => page.cursor,
    }),
}

/** Downloads the cases as they are narrowed. */
export function useExportChains(asked: Asked) {
  return useMutation({
    mutationFn: async () => {
      const { data, response } = await unwrapWithResponse(
        api.GET('/api/recovered/export', { params: { query: asked }, parseAs: 'blob' }),
      )
      saveFile(data, attachmentName(response, 'recovered.csv'))
    },
    meta: texts.export,
  })
}
