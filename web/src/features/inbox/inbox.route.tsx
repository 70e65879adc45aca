// Inbox: list and conversation, one at a time on phones.
import { useQuery } from '@tanstack/react-query'
import { type KeyboardEvent, useState } from 'react'
import { useNavigate, useParams, useSearchParams } from 'react-router-dom'
import { useDebounced } from '@/lib/hooks/use-debounced'
import { useDocumentTitle } from '@/lib/hooks/use-document-title'
import { useMediaQuery } from '@/lib/hooks/use-media-query'
import { t } from '@/lib/i18n'
import { paths } from '@/lib/paths'
import { useCurrentUser } from '@/features/session/use-session'
import { EmptyState } from '@/ui/empty-state'
import { QueryBoundary } from '@/ui/query-boundary'
import { SearchBox } from '@/ui/search-box'
import { Conversation } from './components/conversation'
import { InboxFilters, isThreadFilter } from './components/inbox-filters'
import { ThreadsSkeleton } from './components/skeletons'
import { NoThreads, ThreadList } from './components/thread-list'
import { useThreadList } from './lib/use-thread-list'
import { inboxMessages } from './messages'
import { inboxQueries } from './queries'
import type { ThreadFilter } from './types'

const SEARCH_DEBOUNCE_MS = 250

/** Filter and search stand in the address, so that Back brings them again. */
function useInboxParams() {
  const [params, setParams] = useSearchParams()
  const filterParam = params.get('filter')
  const filter: ThreadFilter = isThreadFilter(filterParam) ? filterParam : 'open'
  const [text, setText] = useState(params.get('q') ?? '')
  const write = (name: 'filter' | 'q', value: string) =>
    setParams(
      (before) => {
        const next = new URLSearchParams(before)
        if (value === '' || value === 'open') next.delete(name)
        else next.set(name, value)
        return next
      },
      { replace: true },
    )
  const listParams = new URLSearchParams(params)
  // Asked of one conversation, not of the list.
  listParams.delete('do')
  const query = listParams.toString()
  return {
    filter,
    text,
    setFilter: (next: ThreadFilter) => write('filter', next),
    setText: (next: string) => {
      setText(next)
      write('q', next.trim())
    },
    /** An address that keeps both. */
    withList: (path: string) => (query === '' ? path : `${path}?${query}`),
  }
}

export function Component() {
  useDocumentTitle(t('Inbox'))
  const { customerId } = useParams()
  const isWide = useMediaQuery('(min-width: 64rem)', true)
  const navigate = useNavigate()
  const address = useInboxParams()
  const backTo = address.withList(paths.inbox)
  const leave = (event: KeyboardEvent) => {
    const isInDialog = event.target instanceof Element && event.target.closest('dialog') !== null
    if (event.key !== 'Escape' || customerId === undefined || isInDialog) return
    void navigate(backTo)
    document.querySelector<HTMLAnchorElement>(`a[data-thread="${CSS.escape(customerId)}"]`)?.focus()
  }
  return (
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- Escape leads back from wherever the focus is
    <div
      data-fills-screen
      onKeyDown={leave}
      className="-mx-4 -mt-4 -mb-6 flex min-h-80 flex-1 flex-col lg:m-0 lg:-mb-2 lg:flex-row lg:gap-4"
    >
      {(isWide || customerId === undefined) && <ListPane address={address} customerId={customerId} />}
      {(isWide || customerId !== undefined) && (
        <section
          aria-label={t('Conversation')}
          className="flex min-h-0 min-w-0 flex-1 flex-col bg-base-100/60 lg:glass-card"
        >
          {customerId === undefined ? (
            <EmptyState icon="message" title={inboxMessages.pick.title}>
              <p>{inboxMessages.pick.text}</p>
            </EmptyState>
          ) : (
            <Conversation key={customerId} customerId={customerId} backTo={backTo} fills />
          )}
        </section>
      )}
    </div>
  )
}

function ListPane({
  address,
  customerId,
}: {
  address: ReturnType<typeof useInboxParams>
  customerId: string | undefined
}) {
  const { orgId, orgTimezone } = useCurrentUser()
  const { filter, text } = address
  const q = useDebounced(text.trim(), SEARCH_DEBOUNCE_MS)
  const list = useThreadList(orgId, filter, q)
  const { data: unread = 0 } = useQuery(inboxQueries.unread(orgId))
  return (
    <section
      aria-label={t('Conversations')}
      className="flex min-h-0 flex-1 flex-col lg:glass-card lg:w-100 lg:flex-none"
    >
      <header className="grid grid-cols-[minmax(0,1fr)] gap-2 border-b border-primary/22 px-4 pt-3 pb-2">
        <h1 className="text-title">{inboxMessages.title}</h1>
        <SearchBox
          label={t('Search conversations by name, number or email')}
          placeholder={t('Name, number or email')}
          value={text}
          onChange={address.setText}
          onKeyDown={focusThreadList}
        />
        <InboxFilters filter={filter} unread={unread} onChange={address.setFilter} />
      </header>
      <div className="relative min-h-0 flex-1 overflow-y-auto">
        <QueryBoundary
          query={list.query}
          skeleton={<ThreadsSkeleton />}
          errorText={inboxMessages.listFailed}
          timeZone={orgTimezone}
          isEmpty={({ threads }) => threads.length === 0}
          empty={<NoThreads filter={filter} isSearch={q !== ''} />}
        >
          {(rows) => (
            <ThreadList
              rows={rows}
              list={list}
              shownId={customerId}
              hrefOf={(id) => address.withList(paths.thread(id))}
              timeZone={orgTimezone}
            />
          )}
        </QueryBoundary>
      </div>
    </section>
  )
}

/** From the search the arrow leads into what it found. */
function focusThreadList(event: KeyboardEvent): void {
  if (event.key !== 'ArrowDown') return
  event.preventDefault()
  document.querySelector<HTMLAnchorElement>('a[data-thread]')?.focus()
}
