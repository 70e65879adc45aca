import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { api, type Schema, unwrap } from '@/api/client'
import { useCurrentUser } from '@/features/session/use-session'
import { settingsQueries } from '../queries'

export type StripeKeys = { secretKey?: string; webhookSecret?: string }

export const cardPaymentMessages = {
  loadFailed: { title: 'Card payments could not be loaded', description: 'Please try again.' },
  saved: { title: 'Card payments are set up', description: 'Stripe has taken the key.' },
  saveFailed: 'The keys were not taken',
  copied: { title: 'Copied', description: 'Paste it into a new webhook in Stripe.' },
  removed: { title: 'Card payments are off', description: 'Open pay pages are being closed at Stripe.' },
  beginFailed: 'Stripe could not be opened',
  returnFailed: 'The way back from Stripe was not good',
  settled: { title: 'Difference settled', description: 'It is reported again only if its amount changes.' },
  settleFailed: 'The difference is not settled',
  settleOutdated: 'Its amount has changed. Close this and look at the list again.',
  reopened: { title: 'Shown again', description: 'The difference is back in the list.' },
  reopenFailed: { title: 'The difference is still settled', description: 'Please try again.' },
  removeFailed: { title: 'Card payments are still on', description: 'Please try again.' },
}

/** No key is ever shown again, so nothing of this is kept for times without a network. */
export const cardPaymentsQuery = (orgId: string) =>
  queryOptions({
    queryKey: [...settingsQueries.all(orgId), 'cards'] as const,
    queryFn: ({ signal }) => unwrap(api.GET('/api/org/{orgId}/stripe', { params: { path: { orgId } }, signal })),
  })

export function useSaveStripeKeys() {
  const { orgId } = useCurrentUser()
  const client = useQueryClient()
  return useMutation({
    mutationFn: (body: StripeKeys) => unwrap(api.PUT('/api/org/{orgId}/stripe', { params: { path: { orgId } }, body })),
    onSuccess: (saved) => client.setQueryData(cardPaymentsQuery(orgId).queryKey, saved),
    // Errors are shown at the fields.
    meta: { success: cardPaymentMessages.saved, failure: false },
  })
}

export function useRemoveStripeKeys() {
  const { orgId } = useCurrentUser()
  const client = useQueryClient()
  return useMutation({
    mutationFn: () => unwrap(api.DELETE('/api/org/{orgId}/stripe', { params: { path: { orgId } } })),
    onSuccess: (saved) => client.setQueryData(cardPaymentsQuery(orgId).queryKey, saved),
    meta: { success: cardPaymentMessages.removed, failure: cardPaymentMessages.removeFailed },
  })
}

/** Says that a difference between the books and Stripe is in order. */
export function useSettleDifference() {
  const { orgId } = useCurrentUser()
  const client = useQueryClient()
  return useMutation({
    mutationFn: (body: Schema['SettleDifferenceRequest']) =>
      unwrap(api.POST('/api/org/{orgId}/stripe/differences/settle', { params: { path: { orgId } }, body })),
    onSuccess: (cards) => client.setQueryData(cardPaymentsQuery(orgId).queryKey, cards),
    // Its amount may have changed since the list was read.
    onError: () => client.invalidateQueries({ queryKey: cardPaymentsQuery(orgId).queryKey }),
    // Errors are shown in the dialog.
    meta: { success: cardPaymentMessages.settled, failure: false },
  })
}

export function useReopenDifference() {
  const { orgId } = useCurrentUser()
  const client = useQueryClient()
  return useMutation({
    mutationFn: (key: string) =>
      unwrap(api.POST('/api/org/{orgId}/stripe/differences/reopen', { params: { path: { orgId } }, body: { key } })),
    onSuccess: (cards) => client.setQueryData(cardPaymentsQuery(orgId).queryKey, cards),
    meta: { success: cardPaymentMessages.reopened, failure: cardPaymentMessages.reopenFailed },
  })
}

/** On to Stripe's page, or straight on where it needs nothing more. */
export function useConnectStripe() {
  const { orgId } = useCurrentUser()
  const client = useQueryClient()
  return useMutation({
    mutationFn: () => unwrap(api.POST('/api/org/{orgId}/stripe/connect', { params: { path: { orgId } } })),
    onSuccess: ({ url, cards }) => {
      client.setQueryData(cardPaymentsQuery(orgId).queryKey, cards)
      if (url) globalThis.location.assign(url)
    },
    // Said beside the button.
    meta: { failure: false },
  })
}

/** Back from Stripe, with what its address had. */
export function useCompleteStripeConnection() {
  const { orgId } = useCurrentUser()
  const client = useQueryClient()
  return useMutation({
    mutationFn: (state: string) =>
      unwrap(api.POST('/api/org/{orgId}/stripe/connect/return', { params: { path: { orgId } }, body: { state } })),
    onSuccess: (cards) => client.setQueryData(cardPaymentsQuery(orgId).queryKey, cards),
    meta: { failure: false },
  })
}
