// Stands beside every staff screen: keeps the server's idea of this device's address right, and follows tapped alerts.
import { useEffect } from 'react'
import { useNavigate } from 'react-router-dom'
import { api, NetworkError, unwrap } from '@/api/client'
import { readText, writeText } from '@/lib/storage'
import { deviceLabel } from './push-label'
import { usePushNavigation } from './push-navigation'
import { currentAddress, knownDevice, rememberDevice } from './push-subscription'

const POSTED_KEY = 'toolbox.push-posted'

/** Browsers change an address without a word, and a new session owns its devices anew: once per visit it is said again. */
async function keepAddress(): Promise<void> {
  const address = knownDevice() === null ? null : await currentAddress()
  if (!address || readText(sessionStorage, POSTED_KEY) === address.endpoint) return
  try {
    const device = await unwrap(api.POST('/api/push/devices', { body: { ...address, label: deviceLabel() } }))
    rememberDevice(device.id)
    writeText(sessionStorage, POSTED_KEY, address.endpoint)
  } catch (error) {
    // Without a network the next start says it.
    if (!(error instanceof NetworkError)) throw error
  }
}

export function Component() {
  const navigate = useNavigate()
  usePushNavigation(navigate)
  useEffect(() => {
    void keepAddress()
  }, [])
  return null
}
