import { useCallback, useEffect, useState } from 'react'
import { getPushState, type PushState } from '@/pwa/push-subscription'

export function usePushState(): { state: PushState | undefined; refresh: () => void } {
  const [state, setState] = useState<PushState>()
  const refresh = useCallback(() => {
    void getPushState().then(setState)
  }, [])
  useEffect(() => {
    refresh()
    // The person may come back from the browser's own settings.
    document.addEventListener('visibilitychange', refresh)
    return () => document.removeEventListener('visibilitychange', refresh)
  }, [refresh])
  return { state, refresh }
}
