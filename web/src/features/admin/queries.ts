// Security administration queries, never persisted.
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { api, type Schema, unwrap, unwrapWithResponse } from '@/api/client'
import { readListTotal } from '@/lib/list-total'
import type { operations } from '@/api/schema'
import { parseNextCursor } from '@/lib/next-cursor'

export type SecurityControl = Schema['SecurityControl']
export type SecurityAlert = Schema['SecurityAlert']
export type AuditEvent = Schema['AuditEvent']
export type Client = Schema['Client']

type Action = NonNullable<NonNullable<operations['getAuditLog']['parameters']['query']>['action']>

/** How the log is narrowed. */
export type AuditFilter = { q?: string; action?: Action }

const PAGE = 100

async function fetchEvents(query: AuditFilter, cursor: string | null, signal: AbortSignal) {
  const asked = { limit: PAGE, ...query, ...(cursor === null ? {} : { cursor }) }
  const { data, response } = await unwrapWithResponse(
    api.GET('/api/security/audit-log', { params: { query: asked }, signal }),
  )
  return { ...data, cursor: parseNextCursor(response.headers.get('Link')) }
}

async function fetchClients(q: string, cursor: string | null, signal: AbortSignal) {
  const asked = { limit: PAGE, ...(q === '' ? {} : { q }), ...(cursor === null ? {} : { cursor }) }
  const { data: clients, response } = await unwrapWithResponse(
    api.GET('/api/admin/clients', { params: { query: asked }, signal }),
  )
  return { clients, ...readListTotal(response, clients.length), cursor: parseNextCursor(response.headers.get('Link')) }
}

/** Security data: fetched when shown, never cached. */
const NO_CACHE = { staleTime: 0, gcTime: 60_000 } as const

export const adminQueries = {
  all: (orgId: string) => ['org', orgId, 'security'] as const,
  status: (orgId: string) =>
    queryOptions({
      queryKey: [...adminQueries.all(orgId), 'status'] as const,
      queryFn: ({ signal }) => unwrap(api.GET('/api/security/status', { signal })),
      ...NO_CACHE,
    }),
  report: (orgId: string) =>
    queryOptions({
      queryKey: [...adminQueries.all(orgId), 'report'] as const,
      queryFn: ({ signal }) => unwrap(api.GET('/api/security/report', { signal })),
      ...NO_CACHE,
    }),
  alerts: (orgId: string) =>
    queryOptions({
      queryKey: [...adminQueries.all(orgId), 'alerts'] as const,
      queryFn: ({ signal }) => unwrap(api.GET('/api/security/alerts', { signal })),
      ...NO_CACHE,
    }),
  auditLog: (orgId: string, query: AuditFilter) =>
    infiniteQueryOptions({
      queryKey: [...adminQueries.all(orgId), 'audit-log', query] as const,
      queryFn: ({ pageParam, signal }) => fetchEvents(query, pageParam, signal),
      initialPageParam: null as string | null,
      getNextPageParam: (page) => page.cursor,
      ...NO_CACHE,
    }),
  clients: (orgId: string, q: string) =>
    infiniteQueryOptions({
      queryKey: [...adminQueries.all(orgId), 'clients', q] as const,
      queryFn: ({ pageParam, signal }) => fetchClients(q, pageParam, signal),
      initialPageParam: null as string | null,
      getNextPageParam: (page) => page.cursor,
      ...NO_CACHE,
    }),
}
