// Layout of a day: shown hours, positions, lanes, overlaps.
import type { Crew } from '@/features/jobs/types'
import { getZoneDay, getZoneTime } from '@/lib/format/zone-time'
import type { HeldTime, Schedule, Visit } from '../types'
import { addDays } from './days'

const HOUR = 60
const DAY = 24 * HOUR
/** Hours shown by default. */
const DEFAULT_HOURS = { from: 8 * HOUR, to: 17 * HOUR }
/** A row shorter than this could not be dropped on. */
const MIN_SHOWN_MINUTES = 6 * HOUR
const MINUTE_MS = 60_000
/** Steps a visit is moved in. */
export const SNAP_MINUTES = 15
const DEFAULT_MINUTES = 120

export type HourRange = { from: number; to: number }
type OpenTimes = Schedule['open']

/** Under this name stand the hours of the business. */
export const BUSINESS_KEY = 'org'

/** Minutes after midnight of that day on the business's clock; before and after it they go on. */
export function getMinutesOfDay(timeZone: string, day: string, instant: string): number {
  const at = Date.parse(instant)
  const [hours = 0, minutes = 0] = getZoneTime(timeZone, at).split(':').map(Number)
  const own = getZoneDay(timeZone, at)
  const days = own === day ? 0 : Math.round((Date.parse(own) - Date.parse(day)) / (DAY * MINUTE_MS))
  return days * DAY + hours * HOUR + minutes
}

/** `08:00` */
export function formatClockTime(minutes: number): string {
  return [Math.floor(minutes / HOUR), minutes % HOUR].map((part) => String(part).padStart(2, '0')).join(':')
}

/** `8 AM`, the label above the hours. */
export function formatHourLabel(minutes: number): string {
  const hour = Math.floor(minutes / HOUR) % 24
  return `${hour % 12 === 0 ? 12 : hour % 12} ${hour < 12 ? 'AM' : 'PM'}`
}

export const getVisitDuration = ({
  date,
  endsAt,
  durationMinutes,
}: Pick<Visit, 'date' | 'endsAt' | 'durationMinutes'>) =>
  date && endsAt ? Math.round((Date.parse(endsAt) - Date.parse(date)) / MINUTE_MS) : durationMinutes || DEFAULT_MINUTES

/** When work is done that day, as minutes of it. */
export function getOpenHours(open: OpenTimes, key: string, timeZone: string, day: string): HourRange[] {
  const times = open[key] ?? open[BUSINESS_KEY] ?? []
  return times
    .map(({ from, to }) => ({
      from: Math.max(0, getMinutesOfDay(timeZone, day, from)),
      to: Math.min(DAY, getMinutesOfDay(timeZone, day, to)),
    }))
    .filter(({ from, to }) => from < DAY && to > 0 && from < to)
}

/** What of the shown hours is no time for work. */
export function getClosedHours(shown: HourRange, open: readonly HourRange[]): HourRange[] {
  const closed: HourRange[] = []
  let at = shown.from
  for (const { from, to } of open.toSorted((a, b) => a.from - b.from)) {
    if (from > at) closed.push({ from: at, to: Math.min(from, shown.to) })
    at = Math.max(at, to)
  }
  if (at < shown.to) closed.push({ from: at, to: shown.to })
  return closed.filter(({ from, to }) => from < to)
}

/** From the earliest opening to the latest closing, and whatever is planned outside of them, in whole hours. */
export function getShownHours(schedule: Schedule, timeZone: string, day: string): HourRange {
  const open = Object.keys(schedule.open).flatMap((key) => getOpenHours(schedule.open, key, timeZone, day))
  const planned = schedule.jobs
    .filter(({ date, endsAt }) => date && endsAt)
    .map(({ date, endsAt }) => ({
      from: Math.max(0, getMinutesOfDay(timeZone, day, date ?? '')),
      to: Math.min(DAY, getMinutesOfDay(timeZone, day, endsAt ?? '')),
    }))
    .filter(({ from, to }) => from < to)
  const spans = [...(open.length > 0 ? open : [DEFAULT_HOURS]), ...planned]
  const from = Math.floor(Math.min(...spans.map((span) => span.from)) / HOUR) * HOUR
  const to = Math.ceil(Math.max(...spans.map((span) => span.to)) / HOUR) * HOUR
  const end = Math.min(DAY, Math.max(to, from + MIN_SHOWN_MINUTES))
  return { from: Math.min(from, end - MIN_SHOWN_MINUTES), to: end }
}

/** Those that go on that day. */
export function getVisitsOnDay(visits: readonly Visit[], timeZone: string, day: string): Visit[] {
  const next = addDays(day, 1)
  return visits.filter(({ date, endsAt }) => {
    if (!date) return false
    const [first, last] = [getZoneDay(timeZone, Date.parse(date)), getZoneDay(timeZone, Date.parse(endsAt ?? date) - 1)]
    return first < next && last >= day
  })
}

/** What is held at this moment; a kept copy of an older version holds nothing. */
export const getHeldTimes = ({ held }: Partial<Pick<Schedule, 'held'>>, now: number): HeldTime[] =>
  (held ?? []).filter(({ expiresAt }) => Date.parse(expiresAt) > now)

/** Those that begin on that day. */
export const getHeldOnDay = (held: readonly HeldTime[], timeZone: string, day: string): HeldTime[] =>
  held.filter(({ startsAt }) => getZoneDay(timeZone, Date.parse(startsAt)) === day)

type LaneItem = Pick<Visit, 'id' | 'date' | 'endsAt'>

/** Visits of one row at one time stand below each other. */
export function assignLanes(visits: readonly LaneItem[]): { lanes: Map<string, number>; count: number } {
  const ends: number[] = []
  const lanes = new Map<string, number>()
  for (const visit of visits.toSorted((a, b) => Date.parse(a.date ?? '') - Date.parse(b.date ?? ''))) {
    const starts = Date.parse(visit.date ?? '')
    const free = ends.findIndex((end) => end <= starts)
    const lane = free === -1 ? ends.length : free
    ends[lane] = Date.parse(visit.endsAt ?? visit.date ?? '')
    lanes.set(visit.id, lane)
  }
  return { lanes, count: Math.max(1, ends.length) }
}

const isUnfinished = ({ status }: Visit) => status === 'Scheduled' || status === 'In Progress'

/** Which visits of their crew each one overlaps with; touching edges do not. */
export function findVisitOverlaps(visits: readonly Visit[]): Map<string, Visit[]> {
  const busy = visits.filter((visit) => isUnfinished(visit) && visit.crewId && visit.date && visit.endsAt)
  const found = new Map<string, Visit[]>()
  for (const one of busy) {
    const others = busy.filter(
      (other) =>
        other.id !== one.id &&
        other.crewId === one.crewId &&
        Date.parse(other.date ?? '') < Date.parse(one.endsAt ?? '') &&
        Date.parse(other.endsAt ?? '') > Date.parse(one.date ?? ''),
    )
    if (others.length > 0) found.set(one.id, others)
  }
  return found
}

/** Each pair counted once. */
export const countOverlaps = (overlaps: Map<string, Visit[]>) =>
  [...overlaps.values()].reduce((sum, others) => sum + others.length, 0) / 2

/** How many held times an unfinished visit of their crew overlaps. */
export const countHeldOverlaps = (held: readonly HeldTime[], visits: readonly Visit[]): number =>
  held.filter(({ crewId, startsAt, endsAt }) =>
    visits.some(
      (visit) =>
        isUnfinished(visit) &&
        visit.crewId === crewId &&
        Date.parse(visit.date ?? '') < Date.parse(endsAt) &&
        Date.parse(visit.endsAt ?? '') > Date.parse(startsAt),
    ),
  ).length

/** The crews that work, those that still have something here, and a row for what has no crew. */
export function groupByCrew(
  crews: readonly Crew[],
  visits: readonly Visit[],
): { crew: Crew | null; visits: Visit[] }[] {
  const own = (crewId: string | null) => visits.filter((visit) => (visit.crewId ?? null) === crewId)
  const rows = crews
    .map((crew) => ({ crew: crew as Crew | null, visits: own(crew.id) }))
    .filter(({ crew, visits: had }) => crew?.isActive === true || had.length > 0)
  return [
    ...rows,
    { crew: null, visits: visits.filter(({ crewId }) => !crewId || !crews.some(({ id }) => id === crewId)) },
  ]
}
