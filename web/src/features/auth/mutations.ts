import { type QueryClient, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { ApiError, api, type CurrentUser, type Schema, unwrap } from '@/api/client'
import { sessionExpired } from '@/api/session-expired'
import { storeAccountLanguage } from '@/features/session/account-language'
import { sessionQueries } from '@/features/session/queries'
import { toast } from '@/ui/toast/toast-store'
import { authMessages } from './messages'
import type { ResetPasswordValues } from './new-password'
import type { CodeValues, ForgotPasswordValues, LoginValues, ReauthValues } from './schema'

/** From now on this person is signed in here. */
export async function setSignedInUser(queryClient: QueryClient, user: CurrentUser): Promise<void> {
  sessionExpired.clear()
  storeAccountLanguage(user)
  const before = queryClient.getQueryData(sessionQueries.me().queryKey)
  // Another person at the same screen sees nothing of the one before; the same person goes on, refreshed.
  if (before?.id !== user.id) queryClient.removeQueries({ queryKey: ['org'] })
  queryClient.setQueryData(sessionQueries.me().queryKey, user)
  await queryClient.invalidateQueries({ queryKey: ['org'] })
}

export type NextSignInStep = Schema['NextSignInStep']

/** The password is right, and a step is left. */
export const isNextStep = (answer: CurrentUser | NextSignInStep): answer is NextSignInStep => 'ticket' in answer

/** Signed in, with a toast. */
export async function completeSignIn(queryClient: QueryClient, user: CurrentUser): Promise<void> {
  toast.success(authMessages.login.success.title, authMessages.login.success.description)
  await setSignedInUser(queryClient, user)
}

/** Signs in; the session then knows its user, unless a step is left. */
export function useLogin() {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: (values: LoginValues): Promise<CurrentUser | NextSignInStep> =>
      unwrap(api.POST('/api/auth/login', { body: values })),
    meta: { failure: { title: authMessages.login.failureTitle, description: authMessages.login.failure } },
    onSuccess: async (answer) => {
      if (!isNextStep(answer)) await completeSignIn(queryClient, answer)
    },
  })
}

/** Signs in with the code that follows the password. Errors are shown in the form. */
export function useSignInWithCode(ticket: string) {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: ({ code }: CodeValues) => unwrap(api.POST('/api/auth/login/code', { body: { ticket, code } })),
    meta: { failure: false },
    onSuccess: (user) => completeSignIn(queryClient, user),
  })
}

/** What an authenticator app needs, where the business wants one of everybody. Asked for once a sign-in. */
export const twoFactorSetupQuery = (ticket: string) =>
  queryOptions({
    queryKey: ['set-up-at-sign-in', ticket] as const,
    queryFn: ({ signal }) => unwrap(api.POST('/api/auth/login/set-up', { body: { ticket }, signal })),
    gcTime: 0,
  })

/** Signs in with the first code of a new app. Whoever did is let in once they have kept their recovery codes. */
export function useConfirmTwoFactorSetup(ticket: string) {
  return useMutation({
    mutationFn: ({ code }: CodeValues) =>
      unwrap(api.POST('/api/auth/login/set-up/confirm', { body: { ticket, code } })),
    meta: { failure: false },
  })
}

/** Asks for a mail to choose a new password with. */
export function useRequestPasswordReset() {
  return useMutation({
    mutationFn: (body: ForgotPasswordValues) => unwrap(api.POST('/api/auth/reset', { body })),
    meta: { failure: authMessages.forgotten.failure },
  })
}

/** Whether a reset link still works. The server judges the link before the password, which is missing here. */
export const resetLinkQuery = (token: string) =>
  queryOptions({
    queryKey: ['reset-link', token] as const,
    queryFn: async ({ signal }) => {
      const asked = api.POST('/api/auth/reset/confirm', { body: { token, password: '' }, signal })
      const error = await unwrap(asked).then(
        () => undefined,
        (reason: unknown) => reason,
      )
      return error instanceof ApiError && error.status === 404 ? 'gone' : 'unknown'
    },
    enabled: token !== '',
    staleTime: Infinity,
    gcTime: 0,
    retry: false,
  })

/** Chooses the new password with the mail's token. Errors are shown in the form. */
export function useResetPassword(token: string) {
  return useMutation({
    mutationFn: ({ password }: ResetPasswordValues) =>
      unwrap(api.POST('/api/auth/reset/confirm', { body: { token, password } })),
    meta: { success: authMessages.reset.success, failure: false },
  })
}

/** Reauthenticates. Errors are shown in the form. */
export function useReauthenticate() {
  return useMutation({
    mutationFn: ({ password, code }: ReauthValues) =>
      unwrap(api.POST('/api/auth/prove', { body: { password, ...(code === '' ? {} : { code }) } })),
    meta: { failure: false },
  })
}

/** Who may register. */
export const registrationQuery = () =>
  queryOptions({
    queryKey: ['registration'] as const,
    queryFn: ({ signal }) => unwrap(api.GET('/api/auth/registration', { signal })),
    staleTime: 0,
  })
