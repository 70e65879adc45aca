// How many conversations wait to be read, beside the link to them.
import { paths } from '@/lib/paths'
import { CountBadge } from './count-badge'
import { useUnread } from './use-unread'

type UnreadBadgeProps = { /** The link it stands on; only the inbox has one. */ href: string; className?: string }

export function UnreadBadge({ href, className }: UnreadBadgeProps) {
  const unread = useUnread() ?? 0
  if (href !== paths.inbox || unread === 0) return null
  return <CountBadge count={unread} tone="secondary" words="unread" className={className} />
}
