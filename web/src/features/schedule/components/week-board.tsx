// Week view: a row per crew, stacked days on phones.
import { classNames } from '@/lib/class-names'
import { t } from '@/lib/i18n'
import { getHeldOnDay, getVisitsOnDay, groupByCrew } from '../lib/board-layout'
import { getDayNumber, listDays, formatShortDay, formatWeekdayName } from '../lib/days'
import { serializeZone } from '../lib/drop-target'
import type { ScheduleTools } from '../lib/schedule-tools'
import { scheduleMessages as texts } from '../messages'
import { HeldCard } from './held-card'
import { VisitCard } from './visit-card'

type WeekBoardProps = { tools: ScheduleTools; from: string; today: string }

export function WeekBoard({ tools, from, today }: WeekBoardProps) {
  const { schedule, timeZone } = tools
  const days = listDays({ from, days: 7 })
  const rows = groupByCrew(schedule.crews, schedule.jobs)
  return (
    <div className="glass-card overflow-x-auto">
      <div className="min-w-[44rem]">
        <div className="grid grid-cols-[6.5rem_repeat(7,minmax(0,1fr))] border-b border-primary/30">
          <span />
          {days.map((day) => (
            <DayHeader key={day} day={day} isToday={day === today} onOpen={tools.showDay} />
          ))}
        </div>
        {rows.map(({ crew, visits }) => (
          <section
            key={crew?.id ?? ''}
            aria-label={crew?.name ?? texts.noCrew}
            className="grid grid-cols-[6.5rem_repeat(7,minmax(0,1fr))] border-b border-primary/22 last:border-b-0"
          >
            <h3 className="p-2 text-note font-semibold wrap-anywhere">{crew?.name ?? texts.noCrew}</h3>
            {days.map((day) => (
              <div
                key={day}
                data-drop={serializeZone({ kind: 'day', day, crewId: crew?.id ?? null })}
                className={getCellClass(tools, day, crew?.id ?? null)}
              >
                {getVisitsOnDay(visits, timeZone, day).map((visit) => (
                  <VisitCard key={visit.id} visit={visit} tools={tools} small />
                ))}
                {getHeldOnDay(tools.held, timeZone, day)
                  .filter(({ crewId }) => crewId === crew?.id)
                  .map((one) => (
                    <HeldCard key={one.id} held={one} timeZone={timeZone} />
                  ))}
              </div>
            ))}
          </section>
        ))}
      </div>
    </div>
  )
}

function getCellClass({ drag }: ScheduleTools, day: string, crewId: string | null): string {
  const over = drag?.over?.zone
  const isOver = over?.kind === 'day' && over.day === day && over.crewId === crewId
  return classNames(
    'grid min-h-16 grid-cols-[minmax(0,1fr)] content-start gap-1 border-l border-primary/15 p-1',
    isOver && 'bg-primary/12 outline-2 -outline-offset-2 outline-primary outline-dashed',
  )
}

function DayHeader({ day, isToday, onOpen }: { day: string; isToday: boolean; onOpen: (day: string) => void }) {
  return (
    <button
      type="button"
      aria-current={isToday ? 'date' : undefined}
      onClick={() => onOpen(day)}
      className={classNames(
        'min-h-11 cursor-pointer border-l border-primary/15 px-2 text-note font-semibold hover:bg-primary/8',
        isToday && 'text-primary',
      )}
    >
      <span className="sr-only">{t('Show {day}', { day: formatShortDay(day) })}</span>
      <span aria-hidden="true">
        {formatWeekdayName(day)} {getDayNumber(day)}
      </span>
    </button>
  )
}

/** The same for a phone. */
export function WeekAgenda({ tools, from, today }: WeekBoardProps) {
  const { schedule, timeZone } = tools
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-3">
      {listDays({ from, days: 7 }).map((day) => {
        const visits = getVisitsOnDay(schedule.jobs, timeZone, day)
        const held = getHeldOnDay(tools.held, timeZone, day)
        const isEmpty = visits.length + held.length === 0
        return (
          <section
            key={day}
            aria-label={formatShortDay(day)}
            data-drop={serializeZone({ kind: 'day', day, crewId: undefined })}
            className={classNames(
              'glass-card px-3',
              isEmpty ? 'flex flex-wrap items-center justify-between gap-x-3' : 'pt-1 pb-3',
            )}
          >
            <h3 className={classNames('font-semibold', day === today && 'text-primary')}>
              <button
                type="button"
                className="min-h-11 cursor-pointer hover:underline"
                onClick={() => tools.showDay(day)}
              >
                {day === today ? t('{day}, today', { day: formatShortDay(day) }) : formatShortDay(day)}
              </button>
            </h3>
            {isEmpty ? (
              <p className="text-note text-muted">{texts.empty}</p>
            ) : (
              <ul className="grid grid-cols-[minmax(0,1fr)] gap-2">
                {visits.map((visit) => (
                  <li key={visit.id}>
                    <VisitCard visit={visit} tools={tools} crew />
                  </li>
                ))}
                {held.map((one) => (
                  <li key={one.id}>
                    <HeldCard
                      held={one}
                      timeZone={timeZone}
                      crew={schedule.crews.find(({ id }) => id === one.crewId)?.name}
                    />
                  </li>
                ))}
              </ul>
            )}
          </section>
        )
      })}
    </div>
  )
}
