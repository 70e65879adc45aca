// Push sync of staff screens: address upkeep and notification taps.
import { useEffect } from 'react'
import { useNavigate } from 'react-router-dom'
import { api, NetworkError, unwrap } from '@/api/client'
import { readText, writeText } from '@/lib/storage'
import { getDeviceLabel } from './device-label'
import { usePushNavigation } from './push-navigation'
import { getPushAddress, getDeviceId, setDeviceId } from './push-subscription'

const POSTED_KEY = 'toolbox.push-posted'

/** Browsers change addresses silently and a session owns its devices: reported once per visit. */
async function syncAddress(): Promise<void> {
  const address = getDeviceId() === null ? null : await getPushAddress()
  if (!address || readText(sessionStorage, POSTED_KEY) === address.endpoint) return
  try {
    const device = await unwrap(api.POST('/api/push/devices', { body: { ...address, label: getDeviceLabel() } }))
    setDeviceId(device.id)
    writeText(sessionStorage, POSTED_KEY, address.endpoint)
  } catch (error) {
    // Offline: reported at the next start.
    if (!(error instanceof NetworkError)) throw error
  }
}

export function Component() {
  const navigate = useNavigate()
  usePushNavigation(navigate)
  useEffect(() => {
    void syncAddress()
  }, [])
  return null
}
