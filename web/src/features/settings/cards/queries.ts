import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { api, type Schema, unwrap } from '@/api/client'
import { useCurrentUser } from '@/features/session/use-session'
import { t } from '@/lib/i18n'
import { settingsQueries } from '../queries'

export type StripeKeys = { secretKey?: string; webhookSecret?: string }

export const cardPaymentMessages = {
  loadFailed: { title: t('Card payments could not be loaded'), description: t('Please try again.') },
  saved: { title: t('Card payments are set up'), description: t('Stripe has taken the key.') },
  saveFailed: t('The keys were not taken'),
  copied: { title: t('Copied'), description: t('Paste it into a new webhook in Stripe.') },
  removed: { title: t('Card payments are off'), description: t('Open pay pages are being closed at Stripe.') },
  beginFailed: t('Stripe could not be opened'),
  returnFailed: t('The way back from Stripe was not good'),
  settled: { title: t('Difference settled'), description: t('It is reported again only if its amount changes.') },
  settleFailed: t('The difference is not settled'),
  settleOutdated: t('Its amount has changed. Close this and look at the list again.'),
  reopened: { title: t('Shown again'), description: t('The difference is back in the list.') },
  reopenFailed: { title: t('The difference is still settled'), description: t('Please try again.') },
  removeFailed: { title: t('Card payments are still on'), description: t('Please try again.') },
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
