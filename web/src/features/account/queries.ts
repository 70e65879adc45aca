// Account queries and mutations.
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { api, type Schema, unwrap } from '@/api/client'
import { accountKey } from '@/domain/query-keys'
import { sessionQueries } from '@/features/session/queries'
import { useCurrentUser } from '@/features/session/use-session'
import { toast } from '@/ui/toast/toast-store'
import { createPasskey } from '@/lib/passkeys'
import { accountMessages as texts } from './messages'

export type SignedInDevice = Schema['SignedInDevice']

export const accountQueries = {
  safety: (orgId: string, id: string) =>
    queryOptions({
      queryKey: [...accountKey(orgId, id), 'safety'] as const,
      queryFn: ({ signal }) => unwrap(api.GET('/api/account', { signal })),
    }),
  passkeys: (orgId: string, id: string) =>
    queryOptions({
      queryKey: [...accountKey(orgId, id), 'passkeys'] as const,
      queryFn: ({ signal }) => unwrap(api.GET('/api/account/passkeys', { signal })),
    }),
  devices: (orgId: string, id: string) =>
    queryOptions({
      queryKey: [...accountKey(orgId, id), 'devices'] as const,
      queryFn: ({ signal }) => unwrap(api.GET('/api/account/devices', { signal })),
    }),
}

function useAccountKey() {
  const { orgId, id } = useCurrentUser()
  return accountKey(orgId, id)
}

/** Errors are shown at the form's fields. */
export function useChangePassword() {
  const key = useAccountKey()
  return useMutation({
    mutationFn: (body: Schema['PasswordChange']) => unwrap(api.POST('/api/account/password', { body })),
    meta: { ...texts.password, invalidates: [key] },
  })
}

/** Begins to set up an authenticator app: what it needs. */
export function useBeginTwoFactor() {
  return useMutation({
    mutationFn: () => unwrap(api.POST('/api/account/second-factor')),
    meta: texts.begin,
  })
}

/** Turns two-step sign-in on with the app's first code: the codes for a lost phone. */
export function useConfirmTwoFactor() {
  const key = useAccountKey()
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: (body: Schema['FirstCodeRequest']) => unwrap(api.POST('/api/account/second-factor/confirm', { body })),
    meta: { ...texts.confirm, invalidates: [key] },
    onSuccess: () => queryClient.invalidateQueries({ queryKey: sessionQueries.me().queryKey }),
  })
}

export function useRemoveTwoFactor() {
  const key = useAccountKey()
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: () => unwrap(api.DELETE('/api/account/second-factor')),
    meta: { ...texts.off, invalidates: [key] },
    onSuccess: () => queryClient.invalidateQueries({ queryKey: sessionQueries.me().queryKey }),
  })
}

/** Has the browser make a passkey, and registers it. The card says what went wrong. */
export function useAddPasskey() {
  const key = useAccountKey()
  return useMutation({
    mutationFn: async (name: string) => {
      const begun = await unwrap(api.POST('/api/account/passkeys/challenge'))
      const credential = await createPasskey(begun.publicKey)
      return unwrap(api.POST('/api/account/passkeys', { body: { challenge: begun.challenge, name, credential } }))
    },
    meta: { success: texts.passkeys.add.success, failure: false, invalidates: [key] },
  })
}

export function useRenamePasskey() {
  const key = useAccountKey()
  return useMutation({
    mutationFn: ({ id, name }: { id: string; name: string }) =>
      unwrap(api.PUT('/api/account/passkeys/{id}', { params: { path: { id } }, body: { name } })),
    meta: { ...texts.passkeys.rename, invalidates: [key] },
  })
}

export function useRemovePasskey() {
  const key = useAccountKey()
  return useMutation({
    mutationFn: (id: string) => unwrap(api.DELETE('/api/account/passkeys/{id}', { params: { path: { id } } })),
    meta: { ...texts.passkeys.remove, invalidates: [key] },
  })
}

export function useRenewRecoveryCodes() {
  const key = useAccountKey()
  return useMutation({
    mutationFn: () => unwrap(api.POST('/api/account/recovery-codes')),
    meta: { ...texts.codes, invalidates: [key] },
  })
}

export function useSignOutDevice() {
  const key = useAccountKey()
  return useMutation({
    mutationFn: (id: string) => unwrap(api.DELETE('/api/account/devices/{id}', { params: { path: { id } } })),
    meta: { ...texts.signedOut, invalidates: [key] },
  })
}

export function useSignOutOthers() {
  const key = useAccountKey()
  return useMutation({
    mutationFn: () => unwrap(api.DELETE('/api/account/devices')),
    meta: { ...texts.othersSignedOut, invalidates: [key] },
  })
}

/** Whether everybody of the business needs a code: the owner's to say. */
export function useRequireTwoFactor() {
  const key = useAccountKey()
  return useMutation({
    mutationFn: (isRequired: boolean) => unwrap(api.PUT('/api/team/second-factor', { body: { isRequired } })),
    meta: { failure: texts.required.failure, invalidates: [key] },
    onSuccess: (_nothing, isRequired) => {
      const { title, description } = isRequired ? texts.required.success : texts.notRequired
      toast.success(title, description)
    },
  })
}
