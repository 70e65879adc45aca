// Reauthentication with a passkey, in a module of its own for its size.
import { queryOptions, useMutation } from '@tanstack/react-query'
import { api, unwrap } from '@/api/client'
import { getPasskey } from '@/lib/passkeys'

/** Proves again who one is with a passkey of this device: it counts as password and code. */
export function useReauthenticateWithPasskey() {
  return useMutation({
    mutationFn: async () => {
      const begun = await unwrap(api.POST('/api/auth/prove/passkey/challenge'))
      const credential = await getPasskey(begun.publicKey)
      return unwrap(api.POST('/api/auth/prove/passkey', { body: { challenge: begun.challenge, credential } }))
    },
    meta: { failure: false },
  })
}

/** How many passkeys one has. */
export const passkeyCountQuery = () =>
  queryOptions({
    queryKey: ['passkeys', 'count'] as const,
    queryFn: async ({ signal }) => (await unwrap(api.GET('/api/account/passkeys', { signal }))).length,
    staleTime: 0,
  })
