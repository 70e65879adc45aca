import { useQuery } from '@tanstack/react-query'
import { type KeyboardEvent, lazy, Suspense, useCallback, useMemo, useState } from 'react'
import { useSearchParams } from 'react-router-dom'
import { getZoneDay } from '@/lib/format/zone-time'
import { useDocumentTitle } from '@/lib/hooks/use-document-title'
import { useMediaQuery } from '@/lib/hooks/use-media-query'
import { useNow } from '@/lib/hooks/use-now'
import { useOnline } from '@/lib/hooks/use-online'
import { useCurrentUser } from '@/features/session/use-session'
import { pgettext, plural, t } from '@/lib/i18n'
import { Button, IconButton } from '@/ui/button'
import { Notice } from '@/ui/notice'
import { QueryBoundary } from '@/ui/query-boundary'
import { SkeletonLines } from '@/ui/skeleton'
import { TabList, TabPanel } from '@/ui/tabs'
import { DayAgenda, DayBoard } from './components/day-board'
import { DragPreview } from './components/drag-preview'
import { MonthBoard } from './components/month-board'
import { UnscheduledPanel, UnscheduledSheet } from './components/unscheduled-panel'
import { WeekAgenda, WeekBoard } from './components/week-board'
import { countHeldOverlaps, countOverlaps, findVisitOverlaps, getHeldTimes } from './lib/board-layout'
import { isCalendarDay, getViewRange, formatViewTitle, addViewPages } from './lib/days'
import { getDropTarget } from './lib/drop-target'
import type { ScheduleTools } from './lib/schedule-tools'
import { type VisitDrag, useVisitDrag } from './lib/use-visit-drag'
import { scheduleMessages as texts } from './messages'
import { useMoveVisit } from './mutations'
import { scheduleQueries } from './queries'
import { type Schedule, type ScheduleView, SCHEDULE_VIEWS, type Visit } from './types'

const VisitDialog = lazy(async () => ({ default: (await import('./components/visit-dialog')).VisitDialog }))

const MINUTE_MS = 60_000
const WIDE_QUERY = '(min-width: 64rem)'
/** Width for the board with the tray beside it; below it the tray is above. */
const WIDEST_QUERY = '(min-width: 88rem)'
const MEDIUM_QUERY = '(min-width: 40rem)'
const TABS = [
  { name: 'day', label: t('Day') },
  { name: 'week', label: t('Week') },
  { name: 'month', label: t('Month') },
] as const satisfies readonly { name: ScheduleView; label: string }[]

/** The view and the day, which the address keeps. */
function useScheduleParams(today: string) {
  const [search, setSearch] = useSearchParams()
  const view = SCHEDULE_VIEWS.find((name) => name === search.get('view')) ?? 'day'
  const dateParam = search.get('date') ?? ''
  const day = isCalendarDay(dateParam) ? dateParam : today
  const go = useCallback(
    (next: { view?: ScheduleView; day?: string }) => {
      setSearch(
        (old) => {
          const kept = new URLSearchParams(old)
          if (next.view) kept.set('view', next.view)
          if (next.day) kept.set('date', next.day)
          return kept
        },
        { replace: true },
      )
    },
    [setSearch],
  )
  return { view, day, go }
}

export function Component() {
  useDocumentTitle(texts.title)
  const { orgId, orgTimezone, role } = useCurrentUser()
  const now = useNow(MINUTE_MS)
  const today = getZoneDay(orgTimezone, now)
  const { view, day, go } = useScheduleParams(today)
  const query = useQuery(scheduleQueries.range(orgId, getViewRange(view, day)))
  const isWide = useMediaQuery(WIDE_QUERY, true)
  const isRoomy = useMediaQuery(MEDIUM_QUERY, true)
  const isOnline = useOnline()
  const [openVisit, setOpened] = useState<Visit>()
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
      {/* On a phone the bar below names the screen, and the day is between its arrows. */}
      <header className="flex flex-wrap items-center justify-between gap-x-3 gap-y-2">
        <h1 className="text-title max-sm:sr-only">{texts.title}</h1>
        <TabList
          label={pgettext('kind of list', 'View')}
          id="schedule"
          tabs={TABS}
          current={view}
          onChange={(name) => go({ view: name })}
          small
        />
      </header>
      <div className="flex items-center gap-x-1 sm:gap-x-2">
        <IconButton
          label={t('Earlier')}
          icon="arrow-left"
          className="shrink-0"
          onClick={() => go({ day: addViewPages(view, day, -1) })}
        />
        <h2
          aria-live="polite"
          className="text-section max-sm:flex-1 max-sm:text-center max-[24rem]:text-base sm:order-last sm:pl-2"
        >
          {formatViewTitle(view, day)}
        </h2>
        <IconButton
          label={t('Later')}
          icon="arrow-right"
          className="shrink-0"
          onClick={() => go({ day: addViewPages(view, day, 1) })}
        />
        {isRoomy ? (
          <Button variant="secondary" disabled={day === today} onClick={() => go({ day: today })}>
            {t('Today')}
          </Button>
        ) : (
          <IconButton
            label={t('Today')}
            icon="calendar"
            className="shrink-0"
            disabled={day === today}
            onClick={() => go({ day: today })}
          />
        )}
      </div>
      <TabPanel id="schedule" name={view}>
        <QueryBoundary
          query={query}
          skeleton={<SkeletonLines lines={8} />}
          errorText={texts.failed}
          timeZone={orgTimezone}
        >
          {(schedule) => (
            <ResponsiveBoards
              schedule={schedule}
              place={{ view, day, today }}
              now={now}
              isWide={isWide}
              canMove={role !== 'crew' && isOnline}
              hasTray={role !== 'crew'}
              onOpen={setOpened}
              onDay={(shown) => go({ view: 'day', day: shown })}
            />
          )}
        </QueryBoundary>
      </TabPanel>
      {openVisit && (
        <Suspense fallback={null}>
          <VisitDialog
            visit={openVisit}
            timeZone={orgTimezone}
            canMove={role !== 'crew'}
            day={view === 'day' ? day : today}
            onClose={() => setOpened(undefined)}
          />
        </Suspense>
      )}
    </div>
  )
}

type BoardsProps = {
  schedule: Schedule
  place: { view: ScheduleView; day: string; today: string }
  now: number
  isWide: boolean
  canMove: boolean
  hasTray: boolean
  onOpen: (visit: Visit) => void
  onDay: (day: string) => void
}

function ResponsiveBoards({ schedule, place, now, isWide, canMove, hasTray, onOpen, onDay }: BoardsProps) {
  const { orgTimezone: timeZone } = useCurrentUser()
  const isWidest = useMediaQuery(WIDEST_QUERY, true)
  const { mutate } = useMoveVisit()
  const drop = useCallback(
    (drag: VisitDrag) => {
      const to = drag.over && getDropTarget(drag, drag.over, schedule, timeZone)
      if (to) mutate({ visit: drag.visit, to })
    },
    [mutate, schedule, timeZone],
  )
  const { drag, take } = useVisitDrag(drop)
  const overlaps = useMemo(() => findVisitOverlaps(schedule.jobs), [schedule.jobs])
  const held = getHeldTimes(schedule, now)
  const tools: ScheduleTools = {
    schedule,
    held,
    timeZone,
    now,
    canMove,
    overlaps,
    drag,
    take,
    open: onOpen,
    showDay: onDay,
  }
  const count = countOverlaps(overlaps)
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
      {count > 0 && (
        <Notice tone="warning" title={plural(count, '{count} overlap', '{count} overlaps')}>
          {t('One crew cannot be in two places. They stand with an amber edge.')}
        </Notice>
      )}
      {countHeldOverlaps(held, schedule.jobs) > 0 && (
        <Notice tone="warning" title={texts.heldOverlap.title}>
          {texts.heldOverlap.description}
        </Notice>
      )}
      {hasTray && !isWide && (
        <div>
          <UnscheduledSheet tools={tools} />
        </div>
      )}
      {hasTray && isWide && !isWidest && <UnscheduledPanel tools={tools} isFlat />}
      <div
        className={
          hasTray && isWidest ? 'grid grid-cols-[minmax(0,1fr)_15rem] gap-4' : 'grid grid-cols-[minmax(0,1fr)]'
        }
      >
        {/* oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- the arrows only move the focus */}
        <div onKeyDown={moveFocus}>
          <Board tools={tools} place={place} isWide={isWide} />
        </div>
        {hasTray && isWidest && <UnscheduledPanel tools={tools} />}
      </div>
      <DragPreview tools={tools} />
    </div>
  )
}

function Board({
  tools,
  place: { view, day, today },
  isWide,
}: {
  tools: ScheduleTools
  place: BoardsProps['place']
  isWide: boolean
}) {
  const { from } = getViewRange(view, day)
  if (view === 'month') return <MonthBoard tools={tools} from={from} month={day} today={today} isWide={isWide} />
  if (view === 'week')
    return isWide ? (
      <WeekBoard tools={tools} from={from} today={today} />
    ) : (
      <WeekAgenda tools={tools} from={from} today={today} />
    )
  return isWide ? <DayBoard tools={tools} day={day} /> : <DayAgenda tools={tools} day={day} />
}

const ARROW_STEPS: Readonly<Record<string, 1 | -1>> = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }

/** The arrows lead from one visit to the next. */
function moveFocus(event: KeyboardEvent<HTMLElement>): void {
  const by = ARROW_STEPS[event.key]
  const visits = [...event.currentTarget.querySelectorAll<HTMLElement>('[data-visit]')]
  const at = visits.findIndex((visit) => visit === document.activeElement)
  const next = by === undefined || at === -1 ? undefined : visits[at + by]
  if (!next) return
  event.preventDefault()
  next.focus()
}
