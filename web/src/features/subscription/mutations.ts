import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api, unwrap, unwrapWithResponse } from '@/api/client'
import { getAttachmentName, saveFile } from '@/lib/download'
import { useCurrentUser } from '@/features/session/use-session'
import { subscriptionMessages as texts } from './messages'
import { type Subscription, subscriptionQueries } from './queries'

/** Goes to Stripe's own page, where the card and the invoices are. */
export function useOpenBillingPortal() {
  return useMutation({
    // The server takes the business from the session and ignores this value.
    mutationFn: () => unwrap(api.POST('/api/create-portal-session', { body: { customerId: null } })),
    onSuccess: ({ url }) => globalThis.location.assign(url),
    meta: { failure: texts.portalFailed, failureIsFixed: true },
  })
}

export function useDownloadInvoices() {
  const { orgId } = useCurrentUser()
  return useMutation({
    mutationFn: async () => {
      const { data, response } = await unwrapWithResponse(
        api.GET('/api/subscription/{orgId}/invoices/download', { params: { path: { orgId } }, parseAs: 'blob' }),
      )
      saveFile(data, getAttachmentName(response, 'toolbox-invoices.zip'))
    },
    meta: { failure: texts.downloadFailed },
  })
}

/** Replaces the cached data by the response. */
function useCacheSubscription() {
  const { orgId } = useCurrentUser()
  const client = useQueryClient()
  return (now: Subscription) => client.setQueryData(subscriptionQueries.standing(orgId).queryKey, now)
}

export function useCancelSubscription() {
  const { orgId } = useCurrentUser()
  const show = useCacheSubscription()
  return useMutation({
    mutationFn: () => unwrap(api.POST('/api/subscription/{orgId}/cancel', { params: { path: { orgId } } })),
    onSuccess: show,
    meta: { success: texts.cancelled, failure: texts.cancelFailed },
  })
}

export function useResumeSubscription() {
  const { orgId } = useCurrentUser()
  const show = useCacheSubscription()
  return useMutation({
    mutationFn: () => unwrap(api.DELETE('/api/subscription/{orgId}/cancel', { params: { path: { orgId } } })),
    onSuccess: show,
    meta: { success: texts.kept, failure: texts.keepFailed },
  })
}

/** Claims a subscription paid before registration, by the link of the email. */
export function useClaimSubscription() {
  const show = useCacheSubscription()
  return useMutation({
    mutationFn: (token: string) => unwrap(api.POST('/api/claim-subscription', { body: { token } })),
    onSuccess: show,
    meta: { success: texts.claimed, failure: texts.claimFailed },
  })
}
