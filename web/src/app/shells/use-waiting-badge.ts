// Who waits for the business, as the badge of the app's icon.
import { useEffect } from 'react'
import { useWaitingCount } from '@/features/worklist/lib/use-waiting-count'
import { isDemoMode } from '@/lib/demo'
import { setBadgeCount } from '@/pwa/app-badge'

export function useWaitingAppBadge(): void {
  const waiting = useWaitingCount()?.waiting
  useEffect(() => {
    // The app badge belongs to the real business.
    if (waiting !== undefined && !isDemoMode()) void setBadgeCount(waiting)
  }, [waiting])
}
