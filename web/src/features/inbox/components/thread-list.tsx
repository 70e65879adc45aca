// Conversation list with keyboard navigation.
import { useQuery } from '@tanstack/react-query'
import { type KeyboardEvent, useRef } from 'react'
import { Link } from 'react-router-dom'
import { t } from '@/lib/i18n'
import { paths } from '@/lib/paths'
import { formatCount } from '@/lib/format/number'
import { useCurrentUser } from '@/features/session/use-session'
import { Button, LinkButton } from '@/ui/button'
import { EmptyState } from '@/ui/empty-state'
import { Notice } from '@/ui/notice'
import type { ThreadListState, ThreadRows } from '../lib/use-thread-list'
import { useNow } from '@/lib/hooks/use-now'
import { inboxMessages } from '../messages'
import { inboxQueries } from '../queries'
import type { ThreadFilter } from '../types'
import { ThreadRow } from './thread-row'

const CLOCK_INTERVAL_MS = 15_000

type ThreadListProps = {
  rows: ThreadRows
  list: ThreadListState
  shownId: string | undefined
  hrefOf: (customerId: string) => string
  timeZone: string
}

export function ThreadList({ rows, list, shownId, hrefOf, timeZone }: ThreadListProps) {
  const box = useRef<HTMLUListElement>(null)
  const now = useNow(CLOCK_INTERVAL_MS)
  const move = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step === undefined || event.altKey || event.ctrlKey || event.metaKey) return
    const links = Array.from(box.current?.querySelectorAll<HTMLAnchorElement>('a[data-thread]') ?? [])
    const at = links.findIndex((link) => link.closest('li')?.contains(document.activeElement))
    event.preventDefault()
    links[Math.min(links.length - 1, Math.max(0, at + step))]?.focus()
  }
  return (
    <>
      <NoNumberNotice />
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- its links take the focus */}
      <ul ref={box} aria-label={t('Conversations, newest first')} onKeyDown={move}>
        {rows.threads.map((thread) => (
          <ThreadRow
            key={thread.customerId}
            thread={thread}
            to={hrefOf(thread.customerId)}
            isShown={thread.customerId === shownId}
            now={now}
            timeZone={timeZone}
          />
        ))}
      </ul>
      {list.hasMore && (
        <div className="grid justify-items-center gap-2 p-3">
          <p className="text-note text-muted">
            {t('{count} of {total} shown', { count: formatCount(rows.threads.length), total: formatCount(rows.total) })}
          </p>
          <Button
            variant="secondary"
            pending={list.isLoadingMore}
            pendingText={t('Loading...')}
            onClick={list.loadMore}
          >
            {t('Show more')}
          </Button>
        </div>
      )}
    </>
  )
}

export function NoThreads({ filter, isSearch }: { filter: ThreadFilter; isSearch: boolean }) {
  if (isSearch)
    return (
      <div role="status">
        <EmptyState icon="search" title={inboxMessages.noMatch} />
      </div>
    )
  return filter === 'open' ? <NobodyWaits /> : <NoThreadsOf filter={filter} />
}

function NoThreadsOf({ filter }: { filter: ThreadFilter }) {
  const { title, text } = inboxMessages.empty[filter]
  return (
    <EmptyState icon="inbox" title={title}>
      <p>{text}</p>
    </EmptyState>
  )
}

/** Above the conversations: emails and forms arrive even where no text can. */
function NoNumberNotice() {
  const { orgId } = useCurrentUser()
  const { data: number } = useQuery(inboxQueries.sendingNumber(orgId))
  if (!number?.why) return null
  const { noNumber } = inboxMessages
  return (
    <Notice tone="info" title={noNumber.title}>
      {noNumber.text(number.why)}{' '}
      <Link to={paths.textingNumber} className="text-link">
        {noNumber.setUp}
      </Link>
    </Notice>
  )
}

/** Promises no texts while none can come in. */
function NobodyWaits() {
  const { orgId } = useCurrentUser()
  const { data: number } = useQuery(inboxQueries.sendingNumber(orgId))
  const { noNumber, setUp, empty } = inboxMessages
  const { title, text } = number?.why ? { title: noNumber.title, text: noNumber.text(number.why) } : empty.open
  return (
    <EmptyState
      icon="inbox"
      title={title}
      action={
        <LinkButton
          to={number?.why ? paths.textingNumber : paths.settings('missed-calls')}
          variant="secondary"
          icon="phone"
        >
          {number?.why ? noNumber.setUp : setUp}
        </LinkButton>
      }
    >
      <p>{text}</p>
    </EmptyState>
  )
}
