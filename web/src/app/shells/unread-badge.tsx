// Unread badge of the inbox link.
import { paths } from '@/lib/paths'
import { CountBadge } from './count-badge'
import { useUnreadCount } from './use-unread-count'

type UnreadBadgeProps = { /** Link path; only the inbox has a badge. */ href: string; className?: string }

export function UnreadBadge({ href, className }: UnreadBadgeProps) {
  const unread = useUnreadCount() ?? 0
  if (href !== paths.inbox || unread === 0) return null
  return <CountBadge count={unread} tone="secondary" accessibleLabel="unread" className={className} />
}
