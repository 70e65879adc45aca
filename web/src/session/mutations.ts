// The way out: the server forgets the session, then this device forgets the org.
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api, unwrap } from '@/api/client'
import { keepLook } from '@/lib/theme'
import { wipe } from '@/offline/wipe'
import { keepToastForNextPage } from './after-reload'
import { sessionQueries } from './queries'

const LOGGED_OUT = { title: 'Logged out', description: 'You have been logged out successfully' } as const

async function logout(owner: string | undefined): Promise<void> {
  await unwrap(api.POST('/api/auth/logout'))
  await wipe(owner)
  keepLook()
}

/** Signs out, empties this device of the org's data, and loads the page anew. */
export function useLogout() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: () => {
      const user = client.getQueryData(sessionQueries.me().queryKey)
      return logout(user ? `${user.orgId}:${user.id}` : undefined)
    },
    meta: {
      success: LOGGED_OUT,
      failure: { title: 'Error', description: 'Failed to log out' },
      failureIsFixed: true,
    },
    onSuccess: () => {
      client.removeQueries({ queryKey: ['org'] })
      keepToastForNextPage(LOGGED_OUT)
      globalThis.location.reload()
    },
  })
}
