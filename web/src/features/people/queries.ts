import { queryOptions } from '@tanstack/react-query'
import { api, unwrap } from '@/api/client'
import { crewsKey } from '@/domain/query-keys'

export const peopleQueries = {
  crews: (orgId: string) =>
    queryOptions({
      queryKey: crewsKey(orgId),
      queryFn: ({ signal }) => unwrap(api.GET('/api/crews', { signal })),
      meta: { offline: true },
    }),
  /** The people a crew can be made of, and a lead can be given to. */
  team: (orgId: string) =>
    queryOptions({
      queryKey: [...crewsKey(orgId), 'team'] as const,
      queryFn: ({ signal }) => unwrap(api.GET('/api/team', { signal })),
    }),
  invites: (orgId: string) =>
    queryOptions({
      queryKey: [...crewsKey(orgId), 'invites'] as const,
      queryFn: ({ signal }) => unwrap(api.GET('/api/team/invites', { signal })),
    }),
}
