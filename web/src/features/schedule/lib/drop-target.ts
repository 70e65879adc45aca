// Drop target from the `data-drop` zone under the pointer.
import { getZoneDay, toInstant } from '@/lib/format/zone-time'
import type { Schedule, VisitSlot, Visit } from '../types'
import { formatClockTime, getVisitDuration, getMinutesOfDay, getOpenHours, SNAP_MINUTES } from './board-layout'

const DAY = 24 * 60
const FIRST = 8 * 60
const MINUTE_MS = 60_000

/** A place a visit can be dropped on. */
export type DropZone =
  | { kind: 'tray' }
  | {
      kind: 'day'
      day: string
      /** Undefined where the crew stays as it is. */
      crewId: string | null | undefined
      /** Minutes of the day covered by its width; without them the time of day is kept. */
      hours?: { from: number; to: number }
    }

export type DropTarget = 'tray' | VisitSlot

/** A zone as the attribute of an element, and read back from it. */
export const serializeZone = (zone: DropZone) => JSON.stringify(zone)

export function parseZone(text: string | undefined): DropZone | undefined {
  return text === undefined ? undefined : (JSON.parse(text) as DropZone)
}

type ZonePosition = { zone: DropZone; /** How far into the zone the pointer is, 0 to 1. */ share: number }
type DraggedVisit = {
  visit: Visit
  mode: 'move' | 'resize'
  /** How far behind the visit's beginning it was taken. */ grabbed: number
}

const snapMinutes = (minutes: number) => Math.round(minutes / SNAP_MINUTES) * SNAP_MINUTES
const clamp = (value: number, least: number, most: number) => Math.min(most, Math.max(least, value))

/** Where it would go; undefined where it would stay as it is. */
export function getDropTarget(
  { visit, mode, grabbed }: DraggedVisit,
  { zone, share }: ZonePosition,
  schedule: Schedule,
  timeZone: string,
): DropTarget | undefined {
  if (zone.kind === 'tray') return mode === 'move' && visit.date ? 'tray' : undefined
  if (mode === 'resize') return getResizeTarget(visit, { zone, share }, timeZone)
  const { day, hours } = zone
  const crewId = zone.crewId === undefined ? (visit.crewId ?? null) : zone.crewId
  const minutes = hours
    ? clamp(snapMinutes(hours.from + share * (hours.to - hours.from) - grabbed), 0, DAY - SNAP_MINUTES)
    : getDropMinutes(visit, schedule, { day, crewId }, timeZone)
  const slot = {
    startsAt: toInstant(timeZone, day, formatClockTime(minutes)).toISOString(),
    minutes: getVisitDuration(visit),
    crewId,
  }
  return isSameSlot(visit, slot) ? undefined : slot
}

function getResizeTarget(visit: Visit, { zone, share }: ZonePosition, timeZone: string): DropTarget | undefined {
  if (zone.kind === 'tray' || !zone.hours || !visit.date) return undefined
  const starts = getMinutesOfDay(timeZone, zone.day, visit.date)
  const minutes = Math.max(
    SNAP_MINUTES,
    snapMinutes(zone.hours.from + share * (zone.hours.to - zone.hours.from)) - starts,
  )
  const slot = { startsAt: visit.date, minutes, crewId: visit.crewId ?? null }
  return isSameSlot(visit, slot) ? undefined : slot
}

/** As it was, else when its crew begins that day. */
function getDropMinutes(
  visit: Visit,
  schedule: Schedule,
  { day, crewId }: { day: string; crewId: string | null },
  timeZone: string,
): number {
  if (visit.date) return getMinutesOfDay(timeZone, getZoneDay(timeZone, Date.parse(visit.date)), visit.date)
  return getOpenHours(schedule.open, crewId ?? '', timeZone, day)[0]?.from ?? FIRST
}

function isSameSlot(visit: Visit, { startsAt, minutes, crewId }: VisitSlot): boolean {
  return (
    Boolean(visit.date) &&
    Date.parse(visit.date ?? '') === Date.parse(startsAt) &&
    getVisitDuration(visit) === minutes &&
    (visit.crewId ?? null) === crewId
  )
}

/** The visit as it would stand there. */
export function withSlot(visit: Visit, slot: VisitSlot, crewName: string): Visit {
  const endsAt = new Date(Date.parse(slot.startsAt) + slot.minutes * MINUTE_MS).toISOString()
  return { ...visit, date: slot.startsAt, endsAt, durationMinutes: slot.minutes, crewId: slot.crewId, crew: crewName }
}
