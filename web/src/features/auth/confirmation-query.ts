// Business of an email confirmation token.
import { queryOptions } from '@tanstack/react-query'
import { api, unwrap } from '@/api/client'

/** The business of the link. The token is in the body, because URLs are logged. */
export const confirmationBusinessQuery = (token: string) =>
  queryOptions({
    queryKey: ['address-proof', token] as const,
    queryFn: ({ signal }) => unwrap(api.POST('/api/auth/proof/look', { body: { token }, signal })),
    enabled: token !== '',
    gcTime: 0,
    retry: false,
  })
