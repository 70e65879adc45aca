import { useInfiniteQuery } from '@tanstack/react-query'
import { type PointerEvent, useState } from 'react'
import { LEAD_STAGES, type LeadSummary } from '@/domain/lead'
import { classNames } from '@/lib/class-names'
import { formatMoney } from '@/lib/format/money'
import { formatCount } from '@/lib/format/number'
import { useCurrentUser } from '@/features/session/use-session'
import { t } from '@/lib/i18n'
import { Button } from '@/ui/button'
import { Icon } from '@/ui/icon'
import { BoardCard } from './board-card'
import type { MoveOutcome } from './move-lead'
import { type BoardColumn, boardQueries } from './queries'

type LeadBoardColumnProps = {
  column: BoardColumn
  q: string
  canMove: boolean
  /** The lead that is being dragged. */
  inTheAir: LeadSummary | undefined
  /** What dropping it here would lead to. */
  choice: MoveOutcome | undefined
  isOver: boolean
  onGrab: (event: PointerEvent, lead: LeadSummary) => void
  onMove: (lead: LeadSummary) => void
}

/** The leads of a column: those of the board, and those that were asked for after them. */
function useColumnLeads({ stage, leads, next: cursor }: BoardColumn, q: string) {
  const next = cursor ?? null
  const { orgId } = useCurrentUser()
  const [isAsked, setIsAsked] = useState(false)
  const more = useInfiniteQuery({ ...boardQueries.column(orgId, stage, q, next), enabled: isAsked && next !== null })
  const later = isAsked && next !== null ? (more.data?.pages ?? []).flatMap((page) => page.leads) : []
  // A lead that moved between two fetches is in both pages: duplicates are dropped.
  const byId = new Map([...leads, ...later].map((lead) => [lead.id, lead]))
  const hasMore = isAsked ? more.hasNextPage || more.data === undefined : true
  return {
    leads: [...byId.values()],
    hasMore: next !== null && hasMore,
    isLoading: more.isFetching,
    loadMore: () => {
      if (!isAsked) setIsAsked(true)
      else if (more.error) void more.refetch()
      else void more.fetchNextPage()
    },
  }
}

export function LeadBoardColumn(props: LeadBoardColumnProps) {
  const { column, q, canMove, inTheAir, choice, isOver, onGrab, onMove } = props
  const { orgTimezone } = useCurrentUser()
  const { leads, hasMore, isLoading, loadMore } = useColumnLeads(column, q)
  const { label, icon } = LEAD_STAGES[column.stage]
  const isRefused = choice?.kind === 'refused' && inTheAir?.stage !== column.stage
  return (
    <section
      data-stage={column.stage}
      aria-label={label}
      className={classNames(
        'flex min-w-0 flex-col gap-2 rounded-box border p-2',
        isOver && choice && !isRefused ? 'border-primary bg-primary/8' : 'border-primary/22',
        isRefused && 'border-dashed [&>ul]:opacity-60',
      )}
    >
      <header className="px-1">
        <h2 className="flex items-center gap-2 text-section">
          <Icon name={icon} className="text-primary" />
          {label}
          <span className="ml-auto text-note text-muted tabular-nums">{formatCount(column.count)}</span>
        </h2>
        <p className="text-note text-muted tabular-nums">{formatMoney(column.total)}</p>
        {isRefused && <p className="text-note text-warning">{choice.why}</p>}
      </header>
      {leads.length === 0 && <p className="px-1 py-3 text-note text-muted">{t('No leads here.')}</p>}
      <ul
        aria-label={t('{stage}, newest first', { stage: label })}
        className="grid gap-2 lg:max-h-[calc(100dvh-19rem)] lg:min-h-40 lg:content-start lg:overflow-y-auto"
      >
        {leads.map((lead) => (
          <BoardCard
            key={lead.id}
            lead={lead}
            timeZone={orgTimezone}
            canMove={canMove}
            isInTheAir={lead.id === inTheAir?.id}
            onGrab={onGrab}
            onMove={onMove}
          />
        ))}
        {hasMore && (
          <li className="grid justify-items-center gap-1 py-1">
            <p className="text-note text-muted tabular-nums">
              {t('{count} of {total}', { count: formatCount(leads.length), total: formatCount(column.count) })}
            </p>
            <Button variant="secondary" pending={isLoading} pendingText={t('Loading...')} onClick={loadMore}>
              {t('Show more')}
              <span className="sr-only"> {t('of {stage}', { stage: label })}</span>
            </Button>
          </li>
        )}
      </ul>
    </section>
  )
}
