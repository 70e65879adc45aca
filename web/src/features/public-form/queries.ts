import { queryOptions } from '@tanstack/react-query'
import { api, unwrap } from '@/api/client'

export const publicFormQueries = {
  /** The business that the address names, or the install's default one. */
  context: (org: string | null) =>
    queryOptions({
      queryKey: ['public', 'form', org] as const,
      queryFn: ({ signal }) => unwrap(api.GET('/api/public/form', { params: { query: org ? { org } : {} }, signal })),
    }),
}
