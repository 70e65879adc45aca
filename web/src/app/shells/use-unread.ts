// How many conversations wait to be read: beside the inbox's link, and on the app's icon.
import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { inboxQueries } from '@/features/inbox/queries'
import { inDemo } from '@/lib/demo'
import { markIcon } from '@/pwa/app-badge'
import { useCurrentUser } from '@/session/use-session'

/** Undefined until it is known, and for the crew, who have no inbox to ask for. */
export function useUnread(): number | undefined {
  const { orgId, role } = useCurrentUser()
  return useQuery({ ...inboxQueries.unread(orgId), enabled: role !== 'crew' }).data
}

/** Keeps the number on the icon right for as long as a staff screen stands; signing out takes it away. */
export function useUnreadOnIcon(): void {
  const unread = useUnread()
  useEffect(() => {
    // The icon is the own business's.
    if (unread !== undefined && !inDemo()) void markIcon(unread)
  }, [unread])
}
