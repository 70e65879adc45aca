import { queryOptions, useMutation } from '@tanstack/react-query'
import { api, type Schema, unwrap } from '@/api/client'
import { checkoutMessages as texts } from './messages'
import type { DemoValues } from './schema'

export type Checkout = Schema['Checkout']
export type CheckoutOffer = Schema['Offer']
export type StartedSubscription = Schema['SubscriptionBegun']

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
