import { queryOptions } from '@tanstack/react-query'
import { api, type Schema, unwrap } from '@/api/client'

export type Subscription = Schema['Subscription']
export type SubscriptionInvoice = Schema['SubscriptionInvoice']
export type SubscriptionState = Schema['SubscriptionState']

export const subscriptionQueries = {
  /** Among the settings, whose live events keep it fresh. */
  standing: (orgId: string) =>
    queryOptions({
      queryKey: ['org', orgId, 'settings', 'subscription'] as const,
      queryFn: ({ signal }) => unwrap(api.GET('/api/subscription/{orgId}', { params: { path: { orgId } }, signal })),
    }),
  /** From Stripe, so not kept on the device. */
  invoices: (orgId: string) =>
    queryOptions({
      queryKey: ['org', orgId, 'settings', 'subscription', 'invoices'] as const,
      queryFn: ({ signal }) =>
        unwrap(api.GET('/api/subscription/{orgId}/invoices', { params: { path: { orgId } }, signal })),
    }),
}
