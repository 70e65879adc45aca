// Day view: a row per crew, an agenda on phones.
import type { PointerEvent as ReactPointerEvent } from 'react'
import type { Crew } from '@/features/jobs/types'
import { classNames } from '@/lib/class-names'
import {
  getClosedHours,
  getHeldOnDay,
  getVisitDuration,
  type HourRange,
  formatHourLabel,
  assignLanes,
  getMinutesOfDay,
  getVisitsOnDay,
  getOpenHours,
  groupByCrew,
  getShownHours,
} from '../lib/board-layout'
import { type DropTarget, getDropTarget, serializeZone } from '../lib/drop-target'
import { HATCHED_CLASS, type ScheduleTools } from '../lib/schedule-tools'
import { scheduleMessages as texts } from '../messages'
import type { HeldTime, Visit } from '../types'
import { HeldCard } from './held-card'
import { VisitCard } from './visit-card'

const HOUR = 60
/** The height of one visit, in rem. */
const LANE_HEIGHT_REM = 4.75

type DayBoardProps = { tools: ScheduleTools; day: string }

export function DayBoard({ tools, day }: DayBoardProps) {
  const { schedule, timeZone } = tools
  const hours = getShownHours(schedule, timeZone, day)
  const rows = groupByCrew(schedule.crews, getVisitsOnDay(schedule.jobs, timeZone, day))
  return (
    <div className="glass-card overflow-x-auto">
      <div className="min-w-[54rem]">
        <div className="flex border-b border-primary/30" aria-hidden="true">
          <div className="w-36 shrink-0" />
          <div className="relative h-9 flex-1">
            {listHours(hours).map((at) => (
              <span
                key={at}
                className="absolute top-2 pl-1 text-caption text-muted tabular-nums"
                style={{ left: toPercent(at, hours) }}
              >
                {formatHourLabel(at)}
              </span>
            ))}
          </div>
        </div>
        {rows.map(({ crew, visits }) => (
          <CrewRow key={crew?.id ?? ''} tools={tools} day={day} hours={hours} crew={crew} visits={visits} />
        ))}
      </div>
    </div>
  )
}

const listHours = ({ from, to }: HourRange) => Array.from({ length: (to - from) / HOUR }, (_, at) => from + at * HOUR)
const toPercent = (at: number, { from, to }: HourRange) => `${((at - from) / (to - from)) * 100}%`

type RowProps = { tools: ScheduleTools; day: string; hours: HourRange; crew: Crew | null; visits: readonly Visit[] }

function CrewRow({ tools, day, hours, crew, visits }: RowProps) {
  const { schedule, timeZone } = tools
  const name = crew?.name ?? texts.noCrew
  const held = getHeldOnDay(tools.held, timeZone, day).filter(({ crewId }) => crewId === crew?.id)
  const { lanes, count } = assignLanes([...visits, ...held.map(toLaneItem)])
  const zone = { kind: 'day', day, crewId: crew?.id ?? null, hours } as const
  const closed = crew ? getClosedHours(hours, getOpenHours(schedule.open, crew.id, timeZone, day)) : []
  const place = (visit: Pick<Visit, 'id' | 'date' | 'endsAt' | 'durationMinutes'>) => {
    const from = getMinutesOfDay(timeZone, day, visit.date ?? '')
    const to = from + getVisitDuration(visit)
    const [left, right] = [Math.max(from, hours.from), Math.min(to, hours.to)]
    return {
      left: toPercent(left, hours),
      width: `${((right - left) / (hours.to - hours.from)) * 100}%`,
      top: `${(lanes.get(visit.id) ?? 0) * LANE_HEIGHT_REM + 0.25}rem`,
      height: `${LANE_HEIGHT_REM}rem`,
    }
  }
  return (
    <section aria-label={name} className="flex border-b border-primary/22 last:border-b-0">
      <h3 className="w-36 shrink-0 p-3 text-note font-semibold wrap-anywhere">{name}</h3>
      <div
        data-drop={serializeZone(zone)}
        className="relative min-w-0 flex-1"
        style={{ height: `${count * LANE_HEIGHT_REM + 0.5}rem` }}
      >
        {closed.map(({ from, to }) => (
          <div
            key={from}
            className={classNames('absolute inset-y-0', HATCHED_CLASS)}
            style={{ left: toPercent(from, hours), width: `${((to - from) / (hours.to - hours.from)) * 100}%` }}
          />
        ))}
        {listHours(hours).map((at) => (
          <div
            key={at}
            className="absolute inset-y-0 border-l border-primary/15"
            style={{ left: toPercent(at, hours) }}
          />
        ))}
        <DropPreview tools={tools} day={day} hours={hours} crewId={crew?.id ?? null} />
        {held.map((one) => (
          <div key={one.id} className="absolute p-0.5" style={place(toLaneItem(one))}>
            <HeldCard held={one} timeZone={timeZone} className="h-full" />
          </div>
        ))}
        {visits.map((visit) => (
          <div key={visit.id} className="absolute p-0.5" style={place(visit)}>
            <VisitCard
              visit={visit}
              tools={tools}
              small
              className="h-full"
              grabbedAt={(event) => getPointerMinutes(event, hours) - getMinutesOfDay(timeZone, day, visit.date ?? '')}
              onResize={(event) => tools.take(event, { visit, mode: 'resize', grabbed: 0 })}
            />
          </div>
        ))}
      </div>
    </section>
  )
}

const toLaneItem = ({ id, startsAt, endsAt }: HeldTime) => ({ id, date: startsAt, endsAt, durationMinutes: 0 })

/** The minute of the day under the pointer. */
function getPointerMinutes(event: ReactPointerEvent, { from, to }: HourRange): number {
  const row = event.currentTarget.closest('[data-drop]')?.getBoundingClientRect()
  return row && row.width > 0 ? from + ((event.clientX - row.left) / row.width) * (to - from) : from
}

/** Where the visit that is being moved would stand. */
function DropPreview({
  tools: { drag, schedule, timeZone },
  day,
  hours,
  crewId,
}: {
  tools: ScheduleTools
  day: string
  hours: HourRange
  crewId: string | null
}) {
  if (drag?.over?.zone.kind !== 'day' || drag.over.zone.day !== day) return null
  const drop: DropTarget | undefined = getDropTarget(drag, drag.over, schedule, timeZone)
  if (!drop || drop === 'tray' || drop.crewId !== crewId) return null
  const from = getMinutesOfDay(timeZone, day, drop.startsAt)
  return (
    <div
      className="pointer-events-none absolute inset-y-1 rounded-field border-2 border-dashed border-primary bg-primary/12"
      style={{
        left: toPercent(Math.max(from, hours.from), hours),
        width: `${(drop.minutes / (hours.to - hours.from)) * 100}%`,
      }}
    />
  )
}

/** The same for a phone: who does what, one below the other. */
export function DayAgenda({ tools, day }: DayBoardProps) {
  const { schedule, timeZone } = tools
  const held = getHeldOnDay(tools.held, timeZone, day)
  const heldOf = (crew: Crew | null) => held.filter(({ crewId }) => crewId === crew?.id)
  const rows = groupByCrew(schedule.crews, getVisitsOnDay(schedule.jobs, timeZone, day)).filter(
    ({ crew, visits }) => crew !== null || visits.length > 0,
  )
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-3">
      {rows.map(({ crew, visits }) => (
        <section
          key={crew?.id ?? ''}
          aria-label={crew?.name ?? texts.noCrew}
          data-drop={serializeZone({ kind: 'day', day, crewId: crew?.id ?? null })}
          className="glass-card p-3"
        >
          <h3 className="mb-2 font-semibold wrap-anywhere">{crew?.name ?? texts.noCrew}</h3>
          {visits.length + heldOf(crew).length === 0 ? (
            <p className="text-note text-muted">{texts.empty}</p>
          ) : (
            <ul className="grid grid-cols-[minmax(0,1fr)] gap-2">
              {visits.map((visit) => (
                <li key={visit.id}>
                  <VisitCard visit={visit} tools={tools} />
                </li>
              ))}
              {heldOf(crew).map((one) => (
                <li key={one.id}>
                  <HeldCard held={one} timeZone={timeZone} />
                </li>
              ))}
            </ul>
          )}
        </section>
      ))}
      {rows.length === 0 && <p className="text-muted">{texts.empty}</p>}
    </div>
  )
}
