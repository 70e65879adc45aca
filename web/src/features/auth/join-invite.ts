// Invitation: texts, form schema, query and mutation.
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import * as z from 'zod/mini'
import { api, type CurrentUser, type Schema, unwrap } from '@/api/client'
import { t } from '@/lib/i18n'
import { toast } from '@/ui/toast/toast-store'
import { authMessages } from './messages'
import { isNextStep, type NextSignInStep, setSignedInUser } from './mutations'
import { newPassword, passwordsMatch } from './new-password'

export const joinMessages = {
  welcome: t('Welcome'),
  failure: {
    title: t('Not joined'),
    description: t('It did not work. What you typed is still here; please try again.'),
  },
  inviteFailed: { title: t('Invitation could not be loaded'), description: t('It did not arrive. Please try again.') },
  goneTitle: t('This invitation is no longer valid'),
  gone: t('It was used, revoked, or is older than seven days. Ask the person who invited you for a new one.'),
} as const

const fieldErrors = authMessages.register

export const joinSchema = z
  .object({
    name: z.string().check(z.trim(), z.minLength(1, fieldErrors.name)),
    email: z
      .string()
      .check(z.trim(), z.minLength(1, { error: fieldErrors.email, abort: true }), z.email(fieldErrors.emailFormat)),
    password: newPassword(),
    confirmPassword: z.string(),
  })
  .check(passwordsMatch())

export type JoinValues = z.infer<typeof joinSchema>

/** What an invitation says; not kept, for its address is its key. */
export const inviteQuery = (token: string) =>
  queryOptions({
    queryKey: ['invite', token] as const,
    queryFn: ({ signal }) => unwrap(api.GET('/api/public/invite/{token}', { params: { path: { token } }, signal })),
    gcTime: 0,
  })

/** Accepts an invitation and signs in, possibly with a further step. Errors are shown in the form. */
export function useJoin(token: string) {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: (body: Schema['JoinRequest']): Promise<CurrentUser | NextSignInStep> =>
      unwrap(api.POST('/api/public/invite/{token}', { params: { path: { token } }, body })),
    meta: { failure: false },
    onSuccess: async (user) => {
      // The business asks for a second factor: they are in once it is set up.
      if (isNextStep(user)) return
      await setSignedInUser(queryClient, user)
      toast.success(joinMessages.welcome, t('You are part of {orgName} now.', { orgName: user.orgName }))
    },
  })
}
