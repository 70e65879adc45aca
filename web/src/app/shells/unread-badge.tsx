// How many conversations wait to be read, beside the link to them.
import { classNames } from '@/lib/class-names'
import { paths } from '../paths'
import { useUnread } from './use-unread'

const MOST_SHOWN = 99

type UnreadBadgeProps = { /** The link it stands on; only the inbox has one. */ href: string; className?: string }

export function UnreadBadge({ href, className }: UnreadBadgeProps) {
  const unread = useUnread() ?? 0
  if (href !== paths.inbox || unread === 0) return null
  return (
    <span className={classNames('grid h-5 min-w-5 place-items-center rounded-full bg-secondary px-1 text-[12px] leading-none font-semibold text-secondary-content tabular-nums', className)}>
      {unread > MOST_SHOWN ? `${MOST_SHOWN}+` : unread}
      <span className="sr-only"> unread</span>
    </span>
  )
}
