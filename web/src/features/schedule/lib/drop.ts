// Where a dragged visit would go: reckoned from the place under the pointer, which says what it is in its `data-drop`.
import { dayIn, instantIn } from '@/lib/format/zone-time'
import type { Schedule, Slot, Visit } from '../types'
import { clock, durationOf, minutesOn, openOn, SNAP } from './board'

const DAY = 24 * 60
const FIRST = 8 * 60
const MINUTE_MS = 60_000

/** A place a visit can be dropped on. */
export type Zone =
  | { kind: 'tray' }
  | {
      kind: 'day'
      day: string
      /** Undefined where the crew stays as it is. */
      crewId: string | null | undefined
      /** The minutes of the day its width stands for; without them the time of day stays. */
      hours?: { from: number; to: number }
    }

export type Drop = 'tray' | Slot

/** A zone as the attribute of an element, and read back from it. */
export const zoneAttribute = (zone: Zone) => JSON.stringify(zone)

export function readZone(text: string | undefined): Zone | undefined {
  return text === undefined ? undefined : (JSON.parse(text) as Zone)
}

type At = { zone: Zone; /** How far into the zone the pointer is, 0 to 1. */ share: number }
type Held = {
  visit: Visit
  mode: 'move' | 'resize'
  /** How far behind the visit's beginning it was taken. */ grabbed: number
}

const snap = (minutes: number) => Math.round(minutes / SNAP) * SNAP
const within = (value: number, least: number, most: number) => Math.min(most, Math.max(least, value))

/** Where it would go; undefined where it would stay as it is. */
export function dropOf(
  { visit, mode, grabbed }: Held,
  { zone, share }: At,
  schedule: Schedule,
  timeZone: string,
): Drop | undefined {
  if (zone.kind === 'tray') return mode === 'move' && visit.date ? 'tray' : undefined
  if (mode === 'resize') return resized(visit, { zone, share }, timeZone)
  const { day, hours } = zone
  const crewId = zone.crewId === undefined ? (visit.crewId ?? null) : zone.crewId
  const minutes = hours
    ? within(snap(hours.from + share * (hours.to - hours.from) - grabbed), 0, DAY - SNAP)
    : timeOfDay(visit, schedule, { day, crewId }, timeZone)
  const slot = { startsAt: instantIn(timeZone, day, clock(minutes)).toISOString(), minutes: durationOf(visit), crewId }
  return isSame(visit, slot) ? undefined : slot
}

function resized(visit: Visit, { zone, share }: At, timeZone: string): Drop | undefined {
  if (zone.kind === 'tray' || !zone.hours || !visit.date) return undefined
  const starts = minutesOn(timeZone, zone.day, visit.date)
  const minutes = Math.max(SNAP, snap(zone.hours.from + share * (zone.hours.to - zone.hours.from)) - starts)
  const slot = { startsAt: visit.date, minutes, crewId: visit.crewId ?? null }
  return isSame(visit, slot) ? undefined : slot
}

/** As it was, else when its crew begins that day. */
function timeOfDay(
  visit: Visit,
  schedule: Schedule,
  { day, crewId }: { day: string; crewId: string | null },
  timeZone: string,
): number {
  if (visit.date) return minutesOn(timeZone, dayIn(timeZone, Date.parse(visit.date)), visit.date)
  return openOn(schedule.open, crewId ?? '', timeZone, day)[0]?.from ?? FIRST
}

function isSame(visit: Visit, { startsAt, minutes, crewId }: Slot): boolean {
  return (
    Boolean(visit.date) &&
    Date.parse(visit.date ?? '') === Date.parse(startsAt) &&
    durationOf(visit) === minutes &&
    (visit.crewId ?? null) === crewId
  )
}

/** The visit as it would stand there. */
export function placed(visit: Visit, slot: Slot, crewName: string): Visit {
  const endsAt = new Date(Date.parse(slot.startsAt) + slot.minutes * MINUTE_MS).toISOString()
  return { ...visit, date: slot.startsAt, endsAt, durationMinutes: slot.minutes, crewId: slot.crewId, crew: crewName }
}
