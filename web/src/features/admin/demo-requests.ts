// Demo requests, for the operator.
import { queryOptions, useMutation } from '@tanstack/react-query'
import * as z from 'zod/mini'
import { api, type Schema, unwrap, unwrapWithResponse } from '@/api/client'
import { showMailToast } from '@/features/documents/mail-toast'
import { useCurrentUser } from '@/features/session/use-session'
import { t } from '@/lib/i18n'

export type DemoRequest = Schema['DemoRequest']

export const demoRequestMessages = {
  title: t('Demo Requests'),
  none: t('No one has asked for a demo yet'),
  failed: {
    title: t('The requests could not be loaded'),
    description: t('The answer did not arrive. Please try again.'),
  },
  send: t('Send Link'),
  about: t(
    'They paid before they had an account, and the link in this email makes the subscription theirs. Anyone who gets it can use it: check the address twice.',
  ),
  sent: { title: t('Link Sent'), description: t('The email is on its way.') },
  notSent: { title: t('Not Sent'), description: t('The email could not be sent. Please try again.') },
} as const

export const invitationSchema = z.object({
  email: z
    .string()
    .check(z.trim(), z.minLength(1, { error: t('Email is required'), abort: true }), z.email(t('Invalid email'))),
})

export type InvitationValues = z.infer<typeof invitationSchema>

/** Fetched when shown, never cached. */
export const demoRequestQuery = (orgId: string) =>
  queryOptions({
    queryKey: ['org', orgId, 'demo-requests'] as const,
    queryFn: ({ signal }) => unwrap(api.GET('/api/demo-requests', { params: { query: { limit: 500 } }, signal })),
    staleTime: 0,
    gcTime: 60_000,
  })

/** Mails the link to a subscription that was paid for once more. */
export function useSendSubscriptionLink(id: string) {
  const { orgId } = useCurrentUser()
  return useMutation({
    mutationFn: (body: InvitationValues) =>
      unwrapWithResponse(api.POST('/api/demo-requests/{id}/invite', { params: { path: { id } }, body })),
    onSuccess: ({ response }) => showMailToast(response.headers, demoRequestMessages.sent),
    meta: { failure: demoRequestMessages.notSent, invalidates: [demoRequestQuery(orgId).queryKey] },
  })
}
