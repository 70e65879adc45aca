// How many conversations wait to be read, beside the link to them.
import { useQuery } from '@tanstack/react-query'
import { inboxQueries } from '@/features/inbox/queries'
import { useCurrentUser } from '@/session/use-session'
import { paths } from '../paths'

const MOST_SHOWN = 99

type UnreadBadgeProps = { /** The link it stands on; only the inbox has one. */ href: string; className?: string }

export function UnreadBadge({ href, className = '' }: UnreadBadgeProps) {
  const { orgId, role } = useCurrentUser()
  // The crew has no inbox to ask for.
  const { data: unread = 0 } = useQuery({ ...inboxQueries.unread(orgId), enabled: role !== 'crew' && href === paths.inbox })
  if (href !== paths.inbox || unread === 0) return null
  return (
    <span className={`grid h-5 min-w-5 place-items-center rounded-full bg-secondary px-1 text-[12px] leading-none font-semibold text-secondary-content tabular-nums ${className}`}>
      {unread > MOST_SHOWN ? `${MOST_SHOWN}+` : unread}
      <span className="sr-only"> unread</span>
    </span>
  )
}
