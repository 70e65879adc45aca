// Signing in and registering.
import { type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query'
import { api, type CurrentUser, unwrap } from '@/api/client'
import { DEFAULT_INDUSTRY } from '@/domain/org'
import { sessionQueries } from '@/session/queries'
import { sessionExpired } from '@/session/session-expired'
import { authMessages } from './messages'
import type { LoginValues, RegisterValues } from './schema'

/** From now on this person is signed in here. */
export async function takeOver(queryClient: QueryClient, user: CurrentUser): Promise<void> {
  sessionExpired.clear()
  const before = queryClient.getQueryData(sessionQueries.me().queryKey)
  // Another person at the same screen sees nothing of the one before; the same person goes on, refreshed.
  if (before?.id !== user.id) queryClient.removeQueries({ queryKey: ['org'] })
  queryClient.setQueryData(sessionQueries.me().queryKey, user)
  await queryClient.invalidateQueries({ queryKey: ['org'] })
}

/** Signs in; the session then knows its user. */
export function useLogin() {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: (values: LoginValues) => unwrap(api.POST('/api/auth/login', { body: values })),
    meta: {
      success: authMessages.login.success,
      failure: { title: authMessages.login.failureTitle, description: authMessages.login.failure },
    },
    onSuccess: (user) => takeOver(queryClient, user),
  })
}

/** Registers a business and its owner. */
export function useRegister() {
  return useMutation({
    mutationFn: ({ name, email, password, orgName }: RegisterValues) =>
      unwrap(api.POST('/api/auth/register', { body: { name, email, password, orgName, industry: DEFAULT_INDUSTRY } })),
    meta: {
      success: authMessages.register.success,
      failure: { title: authMessages.register.failureTitle, description: authMessages.register.failure },
    },
  })
}
