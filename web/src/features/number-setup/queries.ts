// Queries and changes of a business's phone number. All keys are below the settings, which live events refresh.
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { api, type Schema, unwrap } from '@/api/client'
import { providerCallsKey, sendingNumberKey } from '@/domain/query-keys'
import { useCurrentUser } from '@/features/session/use-session'
import { numberSetupMessages as texts } from './messages'

export type NumberOffer = Schema['NumberOffer']
export type NumberOrder = Schema['NumberOrder']
export type NumberType = 'local' | 'toll_free'
export type TextingRegistration = Schema['TextingRegistration']
export type BusinessProfile = Schema['BusinessProfile']
export type RegistrationFees = Schema['RegistrationFees']

/** While an order is under way, should a live event be missed. */
const ORDER_POLL_MS = 4000

const settingsKey = (orgId: string) => ['org', orgId, 'settings'] as const

export const isOrderOpen = (order: NumberOrder | null | undefined): boolean =>
  order?.state === 'waiting' || order?.state === 'sending'

export const numberQueries = {
  current: (orgId: string) =>
    queryOptions({
      queryKey: sendingNumberKey(orgId),
      queryFn: ({ signal }) => unwrap(api.GET('/api/sending-number', { signal })),
    }),
  offer: (orgId: string) =>
    queryOptions({
      queryKey: [...settingsKey(orgId), 'number-offer'] as const,
      queryFn: ({ signal }) => unwrap(api.GET('/api/sending-number/offer', { signal })),
      refetchInterval: (query) => (isOrderOpen(query.state.data?.order) ? ORDER_POLL_MS : false),
    }),
  search: (orgId: string, kind: NumberType, areaCode: string) =>
    queryOptions({
      queryKey: ['org', orgId, 'number-search', kind, areaCode] as const,
      queryFn: ({ signal }) =>
        unwrap(
          api.GET('/api/sending-number/available', {
            params: { query: kind === 'local' ? { kind, areaCode } : { kind } },
            signal,
          }),
        ),
      // Each search asks the phone company.
      staleTime: 60_000,
      retry: false,
    }),
  accountNumbers: (orgId: string) =>
    queryOptions({
      queryKey: ['org', orgId, 'account-numbers'] as const,
      queryFn: ({ signal }) => unwrap(api.GET('/api/sending-number/account-numbers', { signal })),
      staleTime: 60_000,
      retry: false,
    }),
  registration: (orgId: string) =>
    queryOptions({
      queryKey: [...settingsKey(orgId), 'texting-registration'] as const,
      queryFn: ({ signal }) => unwrap(api.GET('/api/texting-registration', { signal })),
    }),
  webhooks: (orgId: string) =>
    queryOptions({
      queryKey: [...providerCallsKey(orgId), 'forwarding-test'] as const,
      queryFn: ({ signal }) => unwrap(api.GET('/api/webhooks/status', { signal })),
      staleTime: 0,
    }),
}

export function useOrderNumber() {
  const { orgId } = useCurrentUser()
  const client = useQueryClient()
  return useMutation({
    mutationFn: (number: string) => unwrap(api.POST('/api/sending-number/orders', { body: { number } })),
    onSuccess: (offer) => client.setQueryData(numberQueries.offer(orgId).queryKey, offer),
    meta: { failure: texts.buy.orderFailed },
  })
}

export function useTakeOverNumber() {
  const { orgId } = useCurrentUser()
  const client = useQueryClient()
  return useMutation({
    mutationFn: (number: string) => unwrap(api.POST('/api/sending-number/take-over', { body: { number } })),
    onSuccess: (shown) => client.setQueryData(numberQueries.current(orgId).queryKey, shown),
    meta: {
      success: texts.takeOver.done,
      failure: texts.takeOver.failed,
      invalidates: [settingsKey(orgId), numberQueries.accountNumbers(orgId).queryKey],
    },
  })
}

export function useSubmitRegistration() {
  const { orgId } = useCurrentUser()
  const client = useQueryClient()
  return useMutation({
    mutationFn: ({ profile, acceptsFees }: { profile: BusinessProfile; acceptsFees: boolean }) =>
      unwrap(
        api.POST('/api/texting-registration', { body: profile, params: { query: acceptsFees ? { acceptsFees } : {} } }),
      ),
    onSuccess: (shown) => client.setQueryData(numberQueries.registration(orgId).queryKey, shown),
    meta: { success: texts.registration.sent, failure: texts.registration.failed },
  })
}

/** Twilio texts the phone of a sole proprietor again. */
export function useResendRegistrationText() {
  return useMutation({
    mutationFn: () => unwrap(api.POST('/api/texting-registration/text')),
    meta: { success: texts.registration.confirmation.sent, failure: texts.registration.confirmation.failed },
  })
}
