import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { api, ApiError, type Schema, unwrap, unwrapWithResponse } from '@/api/client'
import { inboxKey, sendingNumberKey } from '@/domain/query-keys'
import { t } from '@/lib/i18n'
import { parseNextCursor } from '@/lib/next-cursor'
import type { ConversationPage, Thread, ThreadFilter } from './types'

/** One page of the list, newest first, with the number of all that match and of all unread ones. */
export type ThreadPage = { threads: Thread[]; total: number; cursor: string | null }

const PAGE_SIZE = 50
/** The server gives at most this many at once: fewer means that there are no earlier ones. */
export const CONVERSATION_PAGE_SIZE = 200

async function fetchPage(
  filter: ThreadFilter,
  q: string,
  cursor: string | null,
  signal: AbortSignal,
): Promise<ThreadPage> {
  const query = { filter, limit: PAGE_SIZE, ...(q === '' ? {} : { q }), ...(cursor === null ? {} : { cursor }) }
  const { data, response } = await unwrapWithResponse(api.GET('/api/inbox', { params: { query }, signal }))
  const total = Number(response.headers.get('X-Total-Count') ?? Number.NaN)
  return {
    threads: data,
    total: Number.isFinite(total) ? total : data.length,
    cursor: parseNextCursor(response.headers.get('Link')),
  }
}

async function fetchUnread(signal: AbortSignal): Promise<number> {
  const { data, response } = await unwrapWithResponse(
    api.GET('/api/inbox', { params: { query: { filter: 'unread', limit: 1 } }, signal }),
  )
  return Number(response.headers.get('X-Unread-Count') ?? data.length)
}

function fetchConversation(id: string, before: string | null, signal: AbortSignal): Promise<ConversationPage> {
  const query = before === null ? {} : { before }
  return unwrap(api.GET('/api/customers/{id}/conversation', { params: { path: { id }, query }, signal }))
}

async function fetchDecisions(leadId: string, signal: AbortSignal): Promise<Schema['Decision'][]> {
  const answer = await unwrap(api.GET('/api/leads/{x}', { params: { path: { x: leadId } }, signal }))
  if (Array.isArray(answer)) throw new ApiError({ status: 404, code: 'not_found', detail: t('This is not a lead.') })
  return answer.decisions
}

export const inboxQueries = {
  all: inboxKey,
  lists: (orgId: string) => [...inboxQueries.all(orgId), 'list'] as const,
  list: (orgId: string, filter: ThreadFilter, q: string) =>
    infiniteQueryOptions({
      queryKey: [...inboxQueries.lists(orgId), { filter, q }] as const,
      queryFn: ({ pageParam, signal }) => fetchPage(filter, q, pageParam, signal),
      initialPageParam: null as string | null,
      getNextPageParam: (page) => page.cursor,
      ...(q === '' ? { meta: { offline: true } } : { gcTime: 60_000 }),
    }),
  /** Whether texts can leave and come in. */
  sendingNumber: (orgId: string) =>
    queryOptions({
      queryKey: sendingNumberKey(orgId),
      queryFn: ({ signal }) => unwrap(api.GET('/api/sending-number', { signal })),
    }),
  /** Number of conversations with unread messages. */
  unread: (orgId: string) =>
    queryOptions({
      queryKey: [...inboxQueries.lists(orgId), 'unread'] as const,
      queryFn: ({ signal }) => fetchUnread(signal),
      meta: { offline: true },
    }),
  conversations: (orgId: string) => [...inboxQueries.all(orgId), 'conversation'] as const,
  /** Pages go back in time: the first one is the newest. */
  conversation: (orgId: string, customerId: string) =>
    infiniteQueryOptions({
      queryKey: [...inboxQueries.conversations(orgId), customerId] as const,
      queryFn: ({ pageParam, signal }) => fetchConversation(customerId, pageParam, signal),
      initialPageParam: null as string | null,
      getNextPageParam: ({ items }) => (items.length < CONVERSATION_PAGE_SIZE ? null : (items[0]?.at ?? null)),
      meta: { offline: true },
    }),
  /** What the rules decided about a lead. */
  decisions: (orgId: string, leadId: string) =>
    queryOptions({
      queryKey: [...inboxQueries.all(orgId), 'decisions', leadId] as const,
      queryFn: ({ signal }) => fetchDecisions(leadId, signal),
    }),
  cannedReplies: (orgId: string) =>
    queryOptions({
      queryKey: [...inboxQueries.all(orgId), 'canned-replies'] as const,
      queryFn: ({ signal }) => unwrap(api.GET('/api/canned-replies', { signal })),
      meta: { offline: true },
    }),
  team: (orgId: string) =>
    queryOptions({
      queryKey: [...inboxQueries.all(orgId), 'team'] as const,
      queryFn: ({ signal }) => unwrap(api.GET('/api/team', { signal })),
    }),
}
