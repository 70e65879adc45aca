import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { api, type Schema, unwrap } from '@/api/client'
import { sendingNumberKey } from '@/domain/query-keys'
import { useCurrentUser } from '@/features/session/use-session'
import { t } from '@/lib/i18n'
import { settingsQueries } from '../queries'

export type SendingNumber = Schema['SendingNumber']

export const sendingNumberMessages = {
  title: t('Texting number'),
  notSetUp: t(
    'Ask the person who runs your Toolbox to set up texting with their Twilio account. Then you can get a number here, or use one you have.',
  ),
  /** Without texts; emails are named only where they leave. */
  meanwhile: (sendsEmails: boolean) =>
    sendsEmails
      ? t('Customers get emails instead, and you can text from your own phone.')
      : t('You can text from your own phone.'),
  noMoreTexts: (sendsEmails: boolean) =>
    sendsEmails ? t('You can no longer send texts. Customers get emails instead.') : t('You can no longer send texts.'),
  failed: { title: t('The texting number could not be loaded'), description: t('Please try again.') },
  givenUp: {
    title: t('You gave up the number'),
    description: t('The person who runs your Toolbox can assign it again.'),
  },
  giveUpFailed: { title: t('The number is still yours'), description: t('Nothing was changed. Please try again.') },
  proved: { title: t('The number is yours'), description: t('Your texts leave from it now.') },
} as const

export const sendingNumberQuery = (orgId: string) =>
  queryOptions({
    queryKey: sendingNumberKey(orgId),
    queryFn: ({ signal }) => unwrap(api.GET('/api/sending-number', { signal })),
  })

export function useClaimNumber() {
  const { orgId } = useCurrentUser()
  const client = useQueryClient()
  return useMutation({
    mutationFn: (body: Schema['NumberClaimRequest']) => unwrap(api.POST('/api/sending-number/claim', { body })),
    onSuccess: (shown) => client.setQueryData(sendingNumberQuery(orgId).queryKey, shown),
    // Errors are shown at the fields.
    meta: { failure: false },
  })
}

export function useReleaseNumber() {
  const { orgId } = useCurrentUser()
  const client = useQueryClient()
  return useMutation({
    mutationFn: (number: string) => unwrap(api.POST('/api/sending-number/give-up', { body: { number } })),
    onSuccess: (shown) => client.setQueryData(sendingNumberQuery(orgId).queryKey, shown),
    meta: {
      success: sendingNumberMessages.givenUp,
      failure: sendingNumberMessages.giveUpFailed,
      invalidates: [settingsQueries.organization(orgId).queryKey],
    },
  })
}

export function useConfirmNumber() {
  const { orgId } = useCurrentUser()
  const client = useQueryClient()
  return useMutation({
    mutationFn: (code: string) => unwrap(api.POST('/api/sending-number/confirm', { body: { code } })),
    onSuccess: (shown) => client.setQueryData(sendingNumberQuery(orgId).queryKey, shown),
    meta: {
      success: sendingNumberMessages.proved,
      failure: false,
      invalidates: [settingsQueries.organization(orgId).queryKey],
    },
  })
}
