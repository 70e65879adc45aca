// Trust level queries and mutations.
import { queryOptions, useMutation } from '@tanstack/react-query'
import { api, type Schema, unwrap, unwrapWithResponse } from '@/api/client'
import { trustKey } from '@/domain/query-keys'
import { showMailToast } from '@/features/documents/mail-toast'
import { useCurrentUser } from '@/features/session/use-session'
import { t } from '@/lib/i18n'

export type TrustView = Schema['TrustView']

export const trustQuery = (orgId: string) =>
  queryOptions({
    queryKey: trustKey(orgId),
    queryFn: ({ signal }) => unwrap(api.GET('/api/trust', { signal })),
  })

/** Resets or keeps the settings made before the address was proven. */
export function useResolveInherited() {
  const { orgId } = useCurrentUser()
  return useMutation({
    mutationFn: (what: 'reset' | 'keep') =>
      unwrap(what === 'reset' ? api.POST('/api/trust/inherited/reset') : api.POST('/api/trust/inherited/keep')),
    meta: {
      success: { title: t('Done'), description: t('It is not shown again.') },
      failure: { title: t('Nothing was changed'), description: t('The answer did not arrive. Please try again.') },
      invalidates: [['org', orgId, 'settings']],
    },
  })
}

/** Resends the link that proves the address. */
export function useResendConfirmation() {
  return useMutation({
    mutationFn: () => unwrapWithResponse(api.POST('/api/account/proof')),
    onSuccess: ({ response }) =>
      showMailToast(response.headers, {
        title: t('Mail Sent'),
        description: t('Open the link in it and confirm your address. Check your spam folder too.'),
      }),
    meta: {
      failure: { title: t('Not Sent'), description: t('The mail could not be sent. Please try again.') },
    },
  })
}
