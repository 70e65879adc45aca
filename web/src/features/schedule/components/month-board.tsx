// A month in whole weeks from Sunday: how much each day holds, and the first of it.
import { classNames } from '@/lib/class-names'
import { onDay } from '../lib/board'
import { dayNumber, daysOf, isSameMonth, shortDay, weekday } from '../lib/days'
import { zoneAttribute } from '../lib/drop'
import type { Tools } from '../lib/tools'
import { VisitCard } from './visit-card'

const SHOWN = 3

type MonthBoardProps = { tools: Tools; from: string; month: string; today: string; isWide: boolean }

export function MonthBoard({ tools, from, month, today, isWide }: MonthBoardProps) {
  const days = daysOf({ from, days: 42 })
  return (
    <div className="glass-card overflow-hidden">
      <div className="grid grid-cols-7 border-b border-primary/30" aria-hidden="true">
        {days.slice(0, 7).map((day) => (
          <span key={day} className="py-2 text-center text-caption font-semibold text-muted">
            {weekday(day)}
          </span>
        ))}
      </div>
      <div className="grid grid-cols-7">
        {days.map((day) => (
          <Day
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

type DayProps = { tools: Tools; day: string; isOther: boolean; isToday: boolean; isWide: boolean }

function Day({ tools, day, isOther, isToday, isWide }: DayProps) {
  const visits = onDay(tools.schedule.jobs, tools.timeZone, day)
  const over = tools.drag?.over?.zone
  const isOver = over?.kind === 'day' && over.day === day
  const count = visits.length === 1 ? '1 job' : `${visits.length} jobs`
  return (
    <section
      aria-label={shortDay(day)}
      data-drop={zoneAttribute({ kind: 'day', day, crewId: undefined })}
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
          Show {shortDay(day)}, {count}
        </span>
        <span aria-hidden="true" className="tabular-nums">
          {dayNumber(day)}
        </span>
        {visits.length > 0 && (
          <span aria-hidden="true" className="rounded-full bg-primary/12 px-1.5 text-caption tabular-nums">
            {visits.length}
          </span>
        )}
      </button>
      {isWide && (
        <div className="grid grid-cols-[minmax(0,1fr)] gap-1 p-1 pt-0">
          {visits.slice(0, SHOWN).map((visit) => (
            <VisitCard key={visit.id} visit={visit} tools={tools} small />
          ))}
          {visits.length > SHOWN && <p className="px-1 text-caption text-muted">and {visits.length - SHOWN} more</p>}
        </div>
      )}
    </section>
  )
}
