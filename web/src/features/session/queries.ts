// Current user.
import { queryOptions } from '@tanstack/react-query'
import { api, ApiError, type CurrentUser, unwrap } from '@/api/client'
import { currentUserKey } from '@/api/current-user-key'
import { deviceStore } from '@/offline/device-store'
import { storeAccountLanguage } from './account-language'

async function fetchMe(signal: AbortSignal): Promise<CurrentUser | null> {
  try {
    const user = await unwrap(api.GET('/api/auth/me', { signal }))
    storeAccountLanguage(user)
    return user
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 401) throw error
    // A session ended elsewhere, for a lost phone perhaps, takes the data on this device with it.
    await deviceStore.lock()
    await deviceStore.forget()
    return null
  }
}

export const sessionQueries = {
  /** The signed-in user, or null for a visitor. Kept for an offline start. */
  me: () =>
    queryOptions({
      queryKey: currentUserKey,
      queryFn: ({ signal }) => fetchMe(signal),
      meta: { offline: true },
    }),
}
