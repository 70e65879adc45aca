// Logout: ends the session on the server, then wipes the device.
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api, unwrap } from '@/api/client'
import { t } from '@/lib/i18n'
import { areShortcutsOn, setShortcutsOn } from '@/lib/shortcuts/shortcut-setting'
import { persistThemeSettings } from '@/lib/theme'
import { wipeDevice } from '@/offline/wipe-device'
import { saveToastForReload } from './saved-toast'
import { sessionQueries } from './queries'

const LOGGED_OUT = { title: t('Logged out'), description: t('You have been logged out successfully') } as const

async function endSession(owner: string | undefined): Promise<void> {
  const hasShortcuts = areShortcutsOn()
  await unwrap(api.POST('/api/auth/logout'))
  await wipeDevice(owner)
  persistThemeSettings()
  if (!hasShortcuts) setShortcutsOn(false)
}

/** Signs out, empties this device of the org's data, and reloads the page. */
export function useLogout() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: () => {
      const user = client.getQueryData(sessionQueries.me().queryKey)
      return endSession(user ? `${user.orgId}:${user.id}` : undefined)
    },
    meta: {
      success: LOGGED_OUT,
      failure: { title: t('Error'), description: t('Failed to log out') },
      failureIsFixed: true,
    },
    onSuccess: () => {
      client.removeQueries({ queryKey: ['org'] })
      saveToastForReload(LOGGED_OUT)
      globalThis.location.reload()
    },
  })
}
