// Board queries, nested in the lead lists' key and invalidated with them.
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { api, type Schema, unwrap, unwrapWithResponse } from '@/api/client'
import type { LeadStage, LeadSummary } from '@/domain/lead'
import { parseNextCursor } from '@/lib/next-cursor'
import { leadQueries } from '../queries'

export type BoardColumn = Schema['PipelineColumn']

export type ColumnPage = { leads: LeadSummary[]; cursor: string | null }

/** As many as the board holds of a column at first. */
const PAGE_SIZE = 50

type ColumnQuery = { stage: LeadStage; q: string; cursor: string | null }

async function fetchPage(orgId: string, { stage, q, cursor }: ColumnQuery, signal: AbortSignal): Promise<ColumnPage> {
  const query = { limit: PAGE_SIZE, stage, ...(q === '' ? {} : { q }), ...(cursor === null ? {} : { cursor }) }
  const { data, response } = await unwrapWithResponse(
    api.GET('/api/leads/{x}', { params: { path: { x: orgId }, query }, signal }),
  )
  return { leads: Array.isArray(data) ? data : [], cursor: parseNextCursor(response.headers.get('Link')) }
}

export const boardQueries = {
  boards: (orgId: string) => [...leadQueries.lists(orgId), 'board'] as const,
  board: (orgId: string, q: string) =>
    queryOptions({
      queryKey: [...boardQueries.boards(orgId), { q }] as const,
      queryFn: ({ signal }) => unwrap(api.GET('/api/pipeline', { params: { query: q === '' ? {} : { q } }, signal })),
      ...(q === '' ? { meta: { offline: true } } : { gcTime: 60_000 }),
    }),
  columns: (orgId: string) => [...leadQueries.lists(orgId), 'column'] as const,
  /** What comes after the leads of a column that the board holds. */
  column: (orgId: string, stage: LeadStage, q: string, first: string | null) =>
    infiniteQueryOptions({
      queryKey: [...boardQueries.columns(orgId), stage, { q }] as const,
      queryFn: ({ pageParam, signal }) => fetchPage(orgId, { stage, q, cursor: pageParam }, signal),
      initialPageParam: first,
      getNextPageParam: (page) => page.cursor,
      gcTime: 60_000,
    }),
}
