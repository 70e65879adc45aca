import { Link } from 'react-router-dom'
import { TEXT_OPT_OUTS } from '@/domain/customer'
import { describeUnsent } from '@/domain/message'
import { classNames } from '@/lib/class-names'
import { formatRelative, formatTime } from '@/lib/format/date'
import { useCurrentUser } from '@/features/session/use-session'
import { t } from '@/lib/i18n'
import { Badge } from '@/ui/badge'
import { Icon, type IconName } from '@/ui/icon'
import { describeWait } from '../lib/describe-wait'
import { getZoneDay } from '@/lib/format/zone-time'
import { formatDayTime } from '@/lib/format/zone-time'
import { useChangeThread } from '../mutations'
import type { Thread } from '../types'

/** Whose word was the last. */
const PREVIEWS: Readonly<Record<string, { icon: IconName; words: string }>> = {
  out: { icon: 'arrow-right', words: t('You: ') },
  call: { icon: 'phone', words: '' },
  form: { icon: 'document', words: t('Form: ') },
}
const INBOUND_PREVIEW = { icon: 'message', words: '' } as const

function getPreview({ lastKind, lastStatus }: Thread): { icon: IconName; words: string } {
  const unsent = lastKind === 'out' ? describeUnsent(lastStatus) : undefined
  return unsent ? { icon: unsent.icon, words: `${unsent.label}: ` } : (PREVIEWS[lastKind] ?? INBOUND_PREVIEW)
}

type ThreadRowProps = { thread: Thread; to: string; isShown: boolean; now: number; timeZone: string }

export function ThreadRow({ thread, to, isShown, now, timeZone }: ThreadRowProps) {
  const isUnread = thread.unread > 0
  // Who said STOP waits too: for an email or a call.
  const since = thread.waitingSince ? Date.parse(thread.waitingSince) : null
  const { icon, words } = getPreview(thread)
  return (
    <li
      className={classNames(
        'relative border-b border-primary/15 last:border-0',
        isShown ? 'bg-primary/10' : 'hover:bg-primary/5',
      )}
    >
      <Link
        to={to}
        data-thread={thread.customerId}
        aria-current={isShown ? 'page' : undefined}
        className="block px-3 py-2.5 -outline-offset-2! sm:px-4"
      >
        <span className="flex items-baseline justify-between gap-3">
          <span className={classNames('min-w-0 truncate', isUnread && 'font-semibold')}>
            {thread.name || thread.phoneShown || thread.email}
          </span>
          <span
            className={classNames(
              'shrink-0 text-caption tabular-nums',
              isUnread ? 'font-semibold text-primary' : 'text-muted',
            )}
          >
            {formatThreadTime(thread.lastAt, now, timeZone)}
          </span>
        </span>
        <span className="mt-0.5 flex items-center gap-1.5">
          <Icon name={icon} className="size-4 text-muted" />
          <span
            className={classNames('min-w-0 flex-1 truncate text-note', isUnread ? 'text-base-content' : 'text-muted')}
          >
            {words}
            {thread.lastPreview}
          </span>
          {isUnread && (
            <span className="grid min-w-6 place-items-center rounded-full bg-primary px-1.5 text-caption font-semibold text-primary-content">
              {thread.unread}
              <span className="sr-only"> {t('unread')}</span>
            </span>
          )}
        </span>
        <ThreadBadges thread={thread} since={since} now={now} timeZone={timeZone} />
      </Link>
      {since !== null && !thread.assignedTo && <TakeThreadButton thread={thread} />}
    </li>
  )
}

function formatThreadTime(at: string, now: number, timeZone: string): string {
  const isToday = getZoneDay(timeZone, Date.parse(at)) === getZoneDay(timeZone, now)
  return isToday ? formatTime(at, timeZone) : formatRelative(at, now, timeZone)
}

function ThreadBadges({
  thread,
  since,
  now,
  timeZone,
}: {
  thread: Thread
  since: number | null
  now: number
  timeZone: string
}) {
  const { id } = useCurrentUser()
  const wait = since === null ? null : describeWait(Math.max(0, now - since))
  const isSnoozed = Boolean(thread.snoozedUntil) && Date.parse(thread.snoozedUntil ?? '') > now
  if (!wait && !thread.optedOut && !thread.assignedTo && !isSnoozed && !thread.isClosed) return null
  return (
    <span
      className={classNames(
        'mt-1.5 flex flex-wrap items-center gap-1.5',
        wait && !thread.assignedTo && 'min-h-9 pr-24',
      )}
    >
      {wait && (
        <Badge tone={wait.tone} icon="clock">
          {t('Waits {time}', { time: wait.text })}
        </Badge>
      )}
      {thread.optedOut === 'stopped' && (
        <Badge tone="error" icon="shield">
          STOP
        </Badge>
      )}
      {thread.optedOut === 'paused' && (
        <Badge tone={TEXT_OPT_OUTS.doubted.tone} icon="shield">
          {TEXT_OPT_OUTS.doubted.label}
        </Badge>
      )}
      {isSnoozed && thread.snoozedUntil && (
        <Badge tone="neutral" icon="moon">
          {formatDayTime(thread.snoozedUntil, timeZone, now)}
        </Badge>
      )}
      {thread.isClosed && (
        <Badge tone="neutral" icon="check">
          {t('Closed')}
        </Badge>
      )}
      {thread.assignedTo && (
        <Badge tone="accent" icon="user">
          {thread.assignedTo.id === id ? t('Yours') : thread.assignedTo.name}
        </Badge>
      )}
    </span>
  )
}

/** A waiting thread without an owner can be taken with one tap. */
function TakeThreadButton({ thread }: { thread: Thread }) {
  const { id } = useCurrentUser()
  const change = useChangeThread(thread.customerId)
  return (
    <button
      type="button"
      aria-label={t('Take it: {name}', { name: thread.name || thread.phoneShown || '' })}
      disabled={change.isPending}
      onClick={() => change.mutate({ assignedTo: id })}
      className="absolute right-2 bottom-1.5 inline-flex min-h-11 items-center gap-1.5 rounded-field border border-primary/55 bg-base-100 px-3 text-note font-semibold text-primary sm:right-3"
    >
      {t('Take it')}
    </button>
  )
}
