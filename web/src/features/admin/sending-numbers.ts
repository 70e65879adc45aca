// Twilio numbers and their businesses, for the operator.
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { api, type Schema, unwrap } from '@/api/client'
import { useCurrentUser } from '@/features/session/use-session'
import { t } from '@/lib/i18n'

export type SendingNumbers = Schema['SendingNumbers']

export const adminSendingNumberMessages = {
  title: t('Sending Numbers'),
  none: t('There is no number yet'),
  failed: {
    title: t('The numbers could not be loaded'),
    description: t('The answer did not arrive. Please try again.'),
  },
  saved: { title: t('Saved'), description: t('It holds from now on.') },
  notSaved: { title: t('Not Saved'), description: t('Nothing was changed. Please try again.') },
} as const

/** Queries Twilio when shown. */
export const sendingNumbersQuery = (orgId: string) =>
  queryOptions({
    queryKey: ['org', orgId, 'sending-numbers'] as const,
    queryFn: ({ signal }) => unwrap(api.GET('/api/admin/sending-numbers', { signal })),
    staleTime: 0,
    gcTime: 60_000,
  })

export function useAssignNumber() {
  const { orgId } = useCurrentUser()
  const client = useQueryClient()
  return useMutation({
    mutationFn: ({ number, to }: { number: string; to: string | null }) =>
      unwrap(api.PUT('/api/admin/sending-numbers/{number}', { params: { path: { number } }, body: { orgId: to } })),
    onSuccess: (all) => client.setQueryData(sendingNumbersQuery(orgId).queryKey, all),
    meta: { success: adminSendingNumberMessages.saved, failure: adminSendingNumberMessages.notSaved },
  })
}

export function useShareService() {
  const { orgId } = useCurrentUser()
  const client = useQueryClient()
  return useMutation({
    mutationFn: (body: Schema['ServiceShare']) => unwrap(api.PUT('/api/admin/sending-service', { body })),
    onSuccess: (all) => client.setQueryData(sendingNumbersQuery(orgId).queryKey, all),
    meta: { success: adminSendingNumberMessages.saved, failure: adminSendingNumberMessages.notSaved },
  })
}
