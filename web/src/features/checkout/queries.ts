// What it costs and whether it can be paid here, and the request that begins it all.
import { queryOptions, useMutation } from '@tanstack/react-query'
import { api, type Schema, unwrap } from '@/api/client'
import { checkoutTexts as texts } from './messages'
import type { DemoValues } from './schema'

export type Checkout = Schema['Checkout']
export type Offer = Schema['Offer']
export type Begun = Schema['SubscriptionBegun']

export const checkoutQuery = () =>
  queryOptions({
    queryKey: ['checkout'] as const,
    queryFn: ({ signal }) => unwrap(api.GET('/api/checkout', { signal })),
  })

export function useRequestDemo() {
  return useMutation({
    mutationFn: (body: DemoValues) => unwrap(api.POST('/api/create-subscription', { body })),
    meta: { failure: texts.failed },
  })
}
