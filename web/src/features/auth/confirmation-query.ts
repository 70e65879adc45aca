// Business of an email confirmation token.
import { queryOptions } from '@tanstack/react-query'
import { api, unwrap } from '@/api/client'

/** The business that the link is of. The token stands in the body: addresses are written down. */
export const confirmationBusinessQuery = (token: string) =>
  queryOptions({
    queryKey: ['address-proof', token] as const,
    queryFn: ({ signal }) => unwrap(api.POST('/api/auth/proof/look', { body: { token }, signal })),
    enabled: token !== '',
    gcTime: 0,
    retry: false,
  })
