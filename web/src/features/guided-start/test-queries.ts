// What the test at the end asks the server.
import { queryOptions } from '@tanstack/react-query'
import { api, unwrap } from '@/api/client'
import { providerCallsKey } from '@/domain/query-keys'
import { inboxQueries } from '@/features/inbox/queries'
import { leadQueries } from '@/features/leads/queries'

/** Newest rows that are looked through. */
const NEWEST = 10

export const formAddressQuery = (orgId: string) =>
  queryOptions({
    queryKey: ['org', orgId, 'settings', 'form-address'] as const,
    queryFn: ({ signal }) => unwrap(api.GET('/api/setup/form', { signal })),
  })

/** When the phone company last reported a call and a text; also from the business's own phones. A live event each. */
export const arrivalsQuery = (orgId: string) =>
  queryOptions({
    queryKey: [...providerCallsKey(orgId), 'start-arrivals'] as const,
    queryFn: ({ signal }) => unwrap(api.GET('/api/webhooks/status', { signal })),
    staleTime: 0,
    // What is compared with must not be of an earlier test.
    gcTime: 0,
  })

/** Newest conversations, below the lists of the inbox: live events refresh them. */
export const newestThreadsQuery = (orgId: string) =>
  queryOptions({
    queryKey: [...inboxQueries.lists(orgId), 'newest'] as const,
    queryFn: ({ signal }) => unwrap(api.GET('/api/inbox', { params: { query: { limit: NEWEST } }, signal })),
    staleTime: 0,
    gcTime: 0,
  })

/** Newest leads, below the lists of leads: live events refresh them. */
export const newestLeadsQuery = (orgId: string) =>
  queryOptions({
    queryKey: [...leadQueries.lists(orgId), 'newest'] as const,
    queryFn: async ({ signal }) => {
      const found = await unwrap(
        api.GET('/api/leads/{x}', { params: { path: { x: orgId }, query: { limit: NEWEST } }, signal }),
      )
      return Array.isArray(found) ? found : []
    },
    staleTime: 0,
    gcTime: 0,
  })
