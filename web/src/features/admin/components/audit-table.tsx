import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { formatDateTime } from '@/lib/format/date'
import { formatCount } from '@/lib/format/number'
import { formatIdentifier } from '@/lib/format/identifier'
import { useDebounced } from '@/lib/hooks/use-debounced'
import { useCurrentUser } from '@/features/session/use-session'
import { plural, t } from '@/lib/i18n'
import { Button } from '@/ui/button'
import { EmptyState } from '@/ui/empty-state'
import { FilterBanner } from '@/ui/filter-banner'
import { QueryBoundary } from '@/ui/query-boundary'
import { SearchBox } from '@/ui/search-box'
import { Skeleton } from '@/ui/skeleton'
import { Table } from '@/ui/table'
import { adminMessages } from '../messages'
import { useExportAuditLog } from '../mutations'
import { adminQueries, type AuditEvent, type AuditFilter } from '../queries'

const texts = adminMessages.audit
const COLUMNS = [
  { key: 'at', label: t('When') },
  { key: 'action', label: t('What') },
  { key: 'actor', label: t('Who') },
  { key: 'from', label: t('From') },
] as const

type Action = NonNullable<AuditFilter['action']>

export function AuditTable() {
  const { orgId, orgTimezone } = useCurrentUser()
  const [text, setText] = useState('')
  const [action, setAction] = useState<Action>()
  const q = useDebounced(text.trim(), 250)
  const filter: AuditFilter = { ...(q === '' ? {} : { q }), ...(action ? { action } : {}) }
  const log = useInfiniteQuery(adminQueries.auditLog(orgId, filter))
  const file = useExportAuditLog(filter)
  const total = log.data?.pages[0]?.total
  const isNarrowed = q !== '' || action !== undefined
  return (
    <section aria-label={texts.title} className="grid grid-cols-[minmax(0,1fr)] gap-3">
      <div className="flex flex-wrap items-center gap-3">
        <div className="min-w-0 flex-1 basis-60">
          <SearchBox
            label={t('Search the audit log by name, email or network')}
            placeholder={t('Name, email or network')}
            value={text}
            onChange={setText}
          />
        </div>
        <Button
          variant="secondary"
          icon="download"
          pending={file.isPending}
          pendingText={t('Exporting...')}
          onClick={() => file.mutate()}
        >
          {t('Export CSV')}
        </Button>
      </div>
      {action && <FilterBanner label={formatIdentifier(action)} onClear={() => setAction(undefined)} />}
      <QueryBoundary
        query={{ ...log, data: log.data?.pages.flatMap(({ events }) => events) }}
        skeleton={<Skeleton className="h-64 w-full rounded-box" />}
        errorText={texts.failed}
        timeZone={orgTimezone}
        isEmpty={(events) => events.length === 0}
        empty={<EmptyState icon="clock" title={isNarrowed ? texts.noMatch : texts.none} />}
      >
        {(events) => (
          <div className="grid grid-cols-[minmax(0,1fr)] gap-3">
            {total !== undefined && (
              <p role="status" className="font-semibold tabular-nums">
                {plural(total, '{count} event', '{count} events', { count: formatCount(total) })}
              </p>
            )}
            <Table caption={t('Audit log, the newest first')} columns={COLUMNS}>
              {events.map((event) => (
                <EventRow key={event.id} event={event} timeZone={orgTimezone} onNarrow={setAction} />
              ))}
            </Table>
            {log.hasNextPage && (
              <Button
                variant="secondary"
                className="justify-self-center"
                pending={log.isFetchingNextPage}
                pendingText={t('Loading...')}
                onClick={() => void log.fetchNextPage()}
              >
                {t('Show more')}
              </Button>
            )}
          </div>
        )}
      </QueryBoundary>
    </section>
  )
}

type EventRowProps = { event: AuditEvent; timeZone: string; onNarrow: (action: Action) => void }

function EventRow({
  event: { seq, at, action, actorKind, actorName, actorEmail, keyName, ip, userAgent },
  timeZone,
  onNarrow,
}: EventRowProps) {
  const words = formatIdentifier(action)
  return (
    <tr>
      <td className="whitespace-nowrap">
        {formatDateTime(at, timeZone)}
        <span className="block text-caption text-muted">{t('No. {number}', { number: formatCount(seq) })}</span>
      </td>
      <td>
        {/* The server takes a name that it has written. */}
        <button
          type="button"
          className="text-link min-h-11 text-left"
          aria-label={t('Show only: {action}', { action: words })}
          onClick={() => onNarrow(action as Action)}
        >
          {words}
        </button>
      </td>
      <td className="min-w-44 wrap-anywhere">
        {actorName ??
          (actorKind === 'system'
            ? t('Toolbox itself')
            : actorKind === 'account'
              ? t('A former account')
              : t('A visitor'))}
        {actorEmail && <span className="block text-caption text-muted">{actorEmail}</span>}
        {keyName && <span className="block text-caption text-muted">{t('by the key {keyName}', { keyName })}</span>}
      </td>
      <td className="min-w-36 wrap-anywhere">
        {ip ?? '–'}
        {userAgent && (
          <span className="block max-w-60 truncate text-caption text-muted" title={userAgent}>
            {userAgent}
          </span>
        )}
      </td>
    </tr>
  )
}
