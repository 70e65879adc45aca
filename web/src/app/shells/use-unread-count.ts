// Unread conversations, for the inbox link and the app badge.
import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { inboxQueries } from '@/features/inbox/queries'
import { isDemoMode } from '@/lib/demo'
import { setBadgeCount } from '@/pwa/app-badge'
import { useCurrentUser } from '@/features/session/use-session'

/** Undefined until known, and for crew members. */
export function useUnreadCount(): number | undefined {
  const { orgId, role } = useCurrentUser()
  return useQuery({ ...inboxQueries.unread(orgId), enabled: role !== 'crew' }).data
}

export function useUnreadAppBadge(): void {
  const unread = useUnreadCount()
  useEffect(() => {
    // The app badge belongs to the real business.
    if (unread !== undefined && !isDemoMode()) void setBadgeCount(unread)
  }, [unread])
}
