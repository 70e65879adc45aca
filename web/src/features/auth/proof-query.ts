// For which business a mailed link proves an address, or says that it is not the reader's.
import { queryOptions } from '@tanstack/react-query'
import { api, unwrap } from '@/api/client'

/** The business that the link is of. The token stands in the body: addresses are written down. */
export const businessQuery = (token: string) =>
  queryOptions({
    queryKey: ['address-proof', token] as const,
    queryFn: ({ signal }) => unwrap(api.POST('/api/auth/proof/look', { body: { token }, signal })),
    enabled: token !== '',
    gcTime: 0,
    retry: false,
  })
