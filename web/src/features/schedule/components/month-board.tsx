import { classNames } from '@/lib/class-names'
import { plural, t } from '@/lib/i18n'
import { getHeldOnDay, getVisitsOnDay } from '../lib/board-layout'
import { getDayNumber, listDays, isSameMonth, formatShortDay, formatWeekdayName } from '../lib/days'
import { serializeZone } from '../lib/drop-target'
import type { ScheduleTools } from '../lib/schedule-tools'
import { HeldCard } from './held-card'
import { VisitCard } from './visit-card'

const MAX_SHOWN = 3

type MonthBoardProps = { tools: ScheduleTools; from: string; month: string; today: string; isWide: boolean }

export function MonthBoard({ tools, from, month, today, isWide }: MonthBoardProps) {
  const days = listDays({ from, days: 42 })
  return (
    <div className="glass-card overflow-hidden">
      <div className="grid grid-cols-7 border-b border-primary/30" aria-hidden="true">
        {days.slice(0, 7).map((day) => (
          <span key={day} className="py-2 text-center text-caption font-semibold text-muted">
            {formatWeekdayName(day)}
          </span>
        ))}
      </div>
      <div className="grid grid-cols-7">
        {days.map((day) => (
          <MonthDay
            key={day}
            tools={tools}
            day={day}
            isOther={!isSameMonth(day, month)}
            isToday={day === today}
            isWide={isWide}
          />
        ))}
      </div>
    </div>
  )
}

type DayProps = { tools: ScheduleTools; day: string; isOther: boolean; isToday: boolean; isWide: boolean }

function MonthDay({ tools, day, isOther, isToday, isWide }: DayProps) {
  const visits = getVisitsOnDay(tools.schedule.jobs, tools.timeZone, day)
  const held = getHeldOnDay(tools.held, tools.timeZone, day)
  const over = tools.drag?.over?.zone
  const isOver = over?.kind === 'day' && over.day === day
  const shown = { day: formatShortDay(day), jobs: plural(visits.length, '{count} job', '{count} jobs') }
  return (
    <section
      aria-label={formatShortDay(day)}
      data-drop={serializeZone({ kind: 'day', day, crewId: undefined })}
      className={classNames(
        'min-w-0 border-t border-l border-primary/15',
        isWide ? 'min-h-32' : 'min-h-14',
        isOther && 'opacity-60',
        isOver && 'bg-primary/12 outline-2 -outline-offset-2 outline-primary outline-dashed',
      )}
    >
      <button
        type="button"
        aria-current={isToday ? 'date' : undefined}
        onClick={() => tools.showDay(day)}
        className={classNames(
          'flex min-h-11 w-full cursor-pointer items-center justify-between gap-1 px-2 text-note font-semibold hover:bg-primary/8',
          isToday && 'text-primary',
          !isWide && 'min-h-14 flex-col justify-center',
        )}
      >
        <span className="sr-only">
          {held.length > 0
            ? t('Show {day}, {jobs}, {count} held', { ...shown, count: held.length })
            : t('Show {day}, {jobs}', shown)}
        </span>
        <span aria-hidden="true" className="tabular-nums">
          {getDayNumber(day)}
        </span>
        {visits.length > 0 && (
          <span aria-hidden="true" className="rounded-full bg-primary/12 px-1.5 text-caption tabular-nums">
            {visits.length}
          </span>
        )}
        {!isWide && held.length > 0 && (
          <span
            aria-hidden="true"
            className="rounded-full border border-dashed border-base-content/45 px-1.5 text-caption tabular-nums"
          >
            {t('{count} held', { count: held.length })}
          </span>
        )}
      </button>
      {isWide && (
        <div className="grid grid-cols-[minmax(0,1fr)] gap-1 p-1 pt-0">
          {visits.slice(0, MAX_SHOWN).map((visit) => (
            <VisitCard key={visit.id} visit={visit} tools={tools} small />
          ))}
          {held.map((one) => (
            <HeldCard key={one.id} held={one} timeZone={tools.timeZone} />
          ))}
          {visits.length > MAX_SHOWN && (
            <p className="px-1 text-caption text-muted">
              {t('and {count} more', { count: visits.length - MAX_SHOWN })}
            </p>
          )}
        </div>
      )}
    </section>
  )
}
