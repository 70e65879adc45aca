import { describe, expect, it } from 'vitest'
import { buildCrew, buildJob } from '@/testing/job-builders'
import type { Schedule, Visit } from '../types'
import {
  getClosedHours,
  formatHourLabel,
  assignLanes,
  getMinutesOfDay,
  getVisitsOnDay,
  countOverlaps,
  findVisitOverlaps,
  groupByCrew,
  getShownHours,
} from './board-layout'
import { isCalendarDay, getViewRange, formatViewTitle, addViewPages } from './days'
import { getDropTarget, parseZone, type DropZone, serializeZone } from './drop-target'

const ZONE = 'America/Chicago'
const DAY = '2026-11-24'
const north = buildCrew({ name: 'North crew' })
const south = buildCrew({ name: 'South crew', isActive: false })

/** A visit of the day, by the clock there (UTC−6). */
function visit(from: string, to: string, parts: Partial<Visit> = {}): Visit {
  const at = (clock: string) => new Date(`${DAY}T${clock}:00-06:00`).toISOString()
  return buildJob({ date: at(from), endsAt: at(to), crewId: north.id, crew: north.name, ...parts })
}

function schedule(parts: Partial<Schedule> = {}): Schedule {
  const open = [{ from: `${DAY}T14:00:00Z`, to: `${DAY}T23:00:00Z` }]
  return {
    from: DAY,
    days: 1,
    crews: [north],
    jobs: [],
    tray: [],
    trayTotal: 0,
    open: { org: open, [north.id]: open },
    held: [],
    conflicts: [],
    ...parts,
  }
}

describe('days', () => {
  it('are counted in weeks from Sunday and months of whole weeks', () => {
    expect(getViewRange('day', DAY)).toEqual({ from: DAY, days: 1 })
    expect(getViewRange('week', DAY)).toEqual({ from: '2026-11-22', days: 7 })
    expect(getViewRange('month', DAY)).toEqual({ from: '2026-11-01', days: 42 })
    expect([
      addViewPages('day', DAY, 1),
      addViewPages('week', DAY, -1),
      addViewPages('month', '2027-01-31', 1),
    ]).toEqual(['2026-11-25', '2026-11-17', '2027-02-01'])
    expect([formatViewTitle('day', DAY), formatViewTitle('month', DAY)]).toEqual(['Tue, Nov 24, 2026', 'November 2026'])
    expect(formatViewTitle('week', DAY)).toMatch(/^Nov 22.–.28, 2026$/)
    expect(['2026-02-30', 'today', '1999-01-01', DAY].map(isCalendarDay)).toEqual([false, false, false, true])
  })
})

describe('board layout', () => {
  it('spans opening to closing, extended by the work', () => {
    expect(getShownHours(schedule(), ZONE, DAY)).toEqual({ from: 480, to: 1020 })
    expect(getShownHours(schedule({ jobs: [visit('06:30', '07:30'), visit('17:00', '18:15')] }), ZONE, DAY)).toEqual({
      from: 360,
      to: 1140,
    })
    expect(getShownHours(schedule({ open: { org: [] } }), ZONE, DAY)).toEqual({ from: 480, to: 1020 })
    expect(formatHourLabel(0) + formatHourLabel(720) + formatHourLabel(795)).toBe('12 AM12 PM1 PM')
  })

  it('finds closed hours, and minutes across midnight', () => {
    expect(
      getClosedHours({ from: 360, to: 1200 }, [
        { from: 480, to: 720 },
        { from: 780, to: 1020 },
      ]),
    ).toEqual([
      { from: 360, to: 480 },
      { from: 720, to: 780 },
      { from: 1020, to: 1200 },
    ])
    expect(getClosedHours({ from: 480, to: 1020 }, [{ from: 0, to: 1440 }])).toEqual([])
    expect([
      getMinutesOfDay(ZONE, DAY, `${DAY}T14:00:00Z`),
      getMinutesOfDay(ZONE, DAY, '2026-11-25T07:00:00Z'),
      getMinutesOfDay(ZONE, DAY, '2026-11-24T05:00:00Z'),
    ]).toEqual([480, 1500, -60])
  })

  it('stacks simultaneous visits, unassigned ones last', () => {
    const [one, two, three] = [visit('08:00', '10:00'), visit('09:00', '11:00'), visit('10:00', '12:00')]
    const { lanes, count } = assignLanes([three, two, one])
    expect([count, lanes.get(one.id), lanes.get(two.id), lanes.get(three.id)]).toEqual([2, 0, 1, 0])
    const old = visit('08:00', '09:00', { crewId: south.id })
    const nobodys = visit('08:00', '09:00', { crewId: null })
    expect(groupByCrew([north, south], [one, nobodys]).map(({ crew, visits }) => [crew?.name, visits.length])).toEqual([
      ['North crew', 1],
      [undefined, 1],
    ])
    expect(groupByCrew([north, south], [old]).map(({ crew }) => crew?.name)).toEqual([
      'North crew',
      'South crew',
      undefined,
    ])
    const night = visit('23:00', '23:30', { endsAt: '2026-11-25T08:00:00.000Z' })
    expect([
      getVisitsOnDay([night], ZONE, DAY).length,
      getVisitsOnDay([night], ZONE, '2026-11-25').length,
      getVisitsOnDay([night], ZONE, '2026-11-26').length,
    ]).toEqual([1, 1, 0])
  })

  it('finds overlaps, excluding touching edges, other crews and done work', () => {
    const [one, two] = [visit('08:00', '10:00'), visit('09:00', '11:00')]
    const others = [
      visit('11:00', '12:00'),
      visit('09:00', '10:00', { crewId: south.id }),
      visit('09:00', '10:00', { status: 'Completed' }),
      visit('09:00', '10:00', { crewId: null }),
    ]
    const overlaps = findVisitOverlaps([one, two, ...others])
    expect([countOverlaps(overlaps), overlaps.get(one.id), overlaps.size]).toEqual([1, [two], 2])
  })
})

describe('dropped visit', () => {
  const row: DropZone = { kind: 'day', day: DAY, crewId: north.id, hours: { from: 480, to: 1080 } }
  const held = (one: Visit, mode: 'move' | 'resize' = 'move', grabbed = 0) => ({ visit: one, mode, grabbed })
  const drop = (one: ReturnType<typeof held>, zone: DropZone, share = 0) =>
    getDropTarget(one, { zone, share }, schedule(), ZONE)

  it('snaps to 15 minutes at the grabbed offset', () => {
    const one = visit('08:00', '10:00')
    // 0.505 of ten hours from eight is 13:03.
    expect(drop(held(one), row, 0.505)).toEqual({
      startsAt: '2026-11-24T19:00:00.000Z',
      minutes: 120,
      crewId: north.id,
    })
    expect(drop(held(one, 'move', 60), row, 0.505)).toEqual({
      startsAt: '2026-11-24T18:00:00.000Z',
      minutes: 120,
      crewId: north.id,
    })
    expect(drop(held(one), row, 0.01)).toBeUndefined()
    expect(drop(held(one), { ...row, crewId: null }, 0)).toMatchObject({ crewId: null })
  })

  it('keeps its time in a week, its crew in a month', () => {
    const one = visit('09:30', '10:00')
    const later = '2026-11-26'
    expect(drop(held(one), { kind: 'day', day: later, crewId: south.id })).toEqual({
      startsAt: '2026-11-26T15:30:00.000Z',
      minutes: 30,
      crewId: south.id,
    })
    expect(drop(held(one), { kind: 'day', day: later, crewId: undefined })).toEqual({
      startsAt: '2026-11-26T15:30:00.000Z',
      minutes: 30,
      crewId: north.id,
    })
  })

  it('from unscheduled: starts with the crew’s day, and returns', () => {
    const waiting = buildJob({ durationMinutes: 45 })
    expect(drop(held(waiting), { kind: 'day', day: DAY, crewId: north.id })).toEqual({
      startsAt: '2026-11-24T14:00:00.000Z',
      minutes: 45,
      crewId: north.id,
    })
    expect([drop(held(waiting), { kind: 'tray' }), drop(held(visit('08:00', '09:00')), { kind: 'tray' })]).toEqual([
      undefined,
      'tray',
    ])
  })

  it('resizes by its end, at least 15 minutes', () => {
    const one = visit('08:00', '10:00')
    expect(drop(held(one, 'resize'), row, 0.4)).toEqual({ startsAt: one.date, minutes: 240, crewId: north.id })
    expect(drop(held(one, 'resize'), row, 0)).toMatchObject({ minutes: 15 })
    expect(drop(held(one, 'resize'), row, 0.2)).toBeUndefined()
  })

  it('zone attribute round-trips', () => {
    const anyCrew: DropZone = { kind: 'day', day: DAY, crewId: undefined }
    for (const zone of [row, anyCrew, { kind: 'tray' } as const]) expect(parseZone(serializeZone(zone))).toEqual(zone)
    expect(parseZone(undefined)).toBeUndefined()
  })
})
