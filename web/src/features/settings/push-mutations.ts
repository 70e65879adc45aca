import { useMutation } from '@tanstack/react-query'
import { api, ApiError, unwrap } from '@/api/client'
import { DEMO_REFUSAL, isDemoMode } from '@/lib/demo'
import { getDeviceLabel } from '@/pwa/device-label'
import { setDeviceId, subscribeToPush, unsubscribeFromPush } from '@/pwa/push-subscription'
import { useCurrentUser } from '@/features/session/use-session'
import { pushMessages as texts } from './push-messages'
import { settingsQueries } from './queries'

async function subscribeDevice(): Promise<void> {
  // Before the server or anybody is asked: the address this browser may have is the own business's.
  if (isDemoMode()) throw new ApiError({ status: 403, code: 'demo_read_only', detail: DEMO_REFUSAL })
  const { publicKey } = await unwrap(api.GET('/api/push/key'))
  const address = await subscribeToPush(publicKey)
  const device = await unwrap(api.POST('/api/push/devices', { body: { ...address, label: getDeviceLabel() } }))
  setDeviceId(device.id)
}

/** Asks this browser for an address and gives it to the server. Only ever after a tap: browsers ask the person. */
export function useEnablePush() {
  const { orgId } = useCurrentUser()
  return useMutation({
    mutationFn: subscribeDevice,
    meta: { success: texts.pushOn, failure: texts.pushFailed, invalidates: [settingsQueries.devices(orgId).queryKey] },
  })
}

/** Takes a device out of the list; this one forgets its address too. */
export function useRemoveDevice() {
  const { orgId } = useCurrentUser()
  return useMutation({
    mutationFn: async ({ id, isHere }: { id: string; isHere: boolean }) => {
      await unwrap(api.DELETE('/api/push/devices/{id}', { params: { path: { id } } }))
      if (isHere) await unsubscribeFromPush()
    },
    meta: {
      success: texts.deviceRemoved,
      failure: texts.deviceFailed,
      invalidates: [settingsQueries.devices(orgId).queryKey],
    },
  })
}

/** Sends a test alert to one device. Whether it came is read back from the list. */
export function useTestDevice() {
  return useMutation({
    mutationFn: (id: string) => unwrap(api.POST('/api/push/devices/{id}/test', { params: { path: { id } } })),
    meta: { failure: texts.pushTestFailed },
  })
}
