// How alerts stand on this device, asked of the browser once more when something was done about it.
import { useCallback, useEffect, useState } from 'react'
import { pushState, type PushState } from '@/pwa/push-subscription'

export function usePushState(): { state: PushState | undefined; refresh: () => void } {
  const [state, setState] = useState<PushState>()
  const refresh = useCallback(() => {
    void pushState().then(setState)
  }, [])
  useEffect(() => {
    refresh()
    // The person may come back from the browser's own settings.
    document.addEventListener('visibilitychange', refresh)
    return () => document.removeEventListener('visibilitychange', refresh)
  }, [refresh])
  return { state, refresh }
}
