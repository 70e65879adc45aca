import { queryOptions } from '@tanstack/react-query'
import { api, unwrap } from '@/api/client'

/** Fewer digits are no whole number. */
const MIN_DIGITS = 10

export const quickAddQueries = {
  /** Name of the customer with this phone; null for an unknown number. */
  knownName: (orgId: string, phone: string) =>
    queryOptions({
      queryKey: ['org', orgId, 'known-name', phone] as const,
      queryFn: async ({ signal }) => {
        const { customers } = await unwrap(api.GET('/api/search', { params: { query: { q: phone } }, signal }))
        return customers[0]?.title ?? null
      },
      enabled: phone.replaceAll(/\D/g, '').length >= MIN_DIGITS,
      gcTime: 60_000,
      staleTime: 0,
    }),
}
