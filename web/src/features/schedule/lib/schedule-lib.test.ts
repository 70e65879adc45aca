// The small rules of the schedule: days, rows of hours, lanes, overlaps, and where a dropped visit goes.
import { describe, expect, it } from 'vitest'
import { buildCrew, buildJob } from '@/testing/job-builders'
import type { Schedule, Visit } from '../types'
import { closedIn, hourLabel, lanesOf, minutesOn, onDay, overlapCount, overlapsOf, rowsOf, shownHours } from './board'
import { isDay, rangeOf, titleOf, turn } from './days'
import { dropOf, readZone, type Zone, zoneAttribute } from './drop'

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
    conflicts: [],
    ...parts,
  }
}

describe('days', () => {
  it('are counted in weeks from Sunday and months of whole weeks', () => {
    expect(rangeOf('day', DAY)).toEqual({ from: DAY, days: 1 })
    expect(rangeOf('week', DAY)).toEqual({ from: '2026-11-22', days: 7 })
    expect(rangeOf('month', DAY)).toEqual({ from: '2026-11-01', days: 42 })
    expect([turn('day', DAY, 1), turn('week', DAY, -1), turn('month', '2027-01-31', 1)]).toEqual([
      '2026-11-25',
      '2026-11-17',
      '2027-02-01',
    ])
    expect([titleOf('day', DAY), titleOf('month', DAY)]).toEqual(['Tue, Nov 24, 2026', 'November 2026'])
    expect(titleOf('week', DAY)).toMatch(/^Nov 22.–.28, 2026$/)
    expect(['2026-02-30', 'today', '1999-01-01', DAY].map(isDay)).toEqual([false, false, false, true])
  })
})

describe('a row of hours', () => {
  it('goes from the opening to the closing, and as far as the work does', () => {
    expect(shownHours(schedule(), ZONE, DAY)).toEqual({ from: 480, to: 1020 })
    expect(shownHours(schedule({ jobs: [visit('06:30', '07:30'), visit('17:00', '18:15')] }), ZONE, DAY)).toEqual({
      from: 360,
      to: 1140,
    })
    expect(shownHours(schedule({ open: { org: [] } }), ZONE, DAY)).toEqual({ from: 480, to: 1020 })
    expect(hourLabel(0) + hourLabel(720) + hourLabel(795)).toBe('12 AM12 PM1 PM')
  })

  it('knows what is closed, and minutes across midnight', () => {
    expect(
      closedIn({ from: 360, to: 1200 }, [
        { from: 480, to: 720 },
        { from: 780, to: 1020 },
      ]),
    ).toEqual([
      { from: 360, to: 480 },
      { from: 720, to: 780 },
      { from: 1020, to: 1200 },
    ])
    expect(closedIn({ from: 480, to: 1020 }, [{ from: 0, to: 1440 }])).toEqual([])
    expect([
      minutesOn(ZONE, DAY, `${DAY}T14:00:00Z`),
      minutesOn(ZONE, DAY, '2026-11-25T07:00:00Z'),
      minutesOn(ZONE, DAY, '2026-11-24T05:00:00Z'),
    ]).toEqual([480, 1500, -60])
  })

  it('shows what stands at one time below each other, and whose nobody’s it is last', () => {
    const [one, two, three] = [visit('08:00', '10:00'), visit('09:00', '11:00'), visit('10:00', '12:00')]
    const { lanes, count } = lanesOf([three, two, one])
    expect([count, lanes.get(one.id), lanes.get(two.id), lanes.get(three.id)]).toEqual([2, 0, 1, 0])
    const old = visit('08:00', '09:00', { crewId: south.id })
    const nobodys = visit('08:00', '09:00', { crewId: null })
    expect(rowsOf([north, south], [one, nobodys]).map(({ crew, visits }) => [crew?.name, visits.length])).toEqual([
      ['North crew', 1],
      [undefined, 1],
    ])
    expect(rowsOf([north, south], [old]).map(({ crew }) => crew?.name)).toEqual(['North crew', 'South crew', undefined])
    const night = visit('23:00', '23:30', { endsAt: '2026-11-25T08:00:00.000Z' })
    expect([
      onDay([night], ZONE, DAY).length,
      onDay([night], ZONE, '2026-11-25').length,
      onDay([night], ZONE, '2026-11-26').length,
    ]).toEqual([1, 1, 0])
  })

  it('finds what overlaps; touching edges, other crews and done work do not', () => {
    const [one, two] = [visit('08:00', '10:00'), visit('09:00', '11:00')]
    const others = [
      visit('11:00', '12:00'),
      visit('09:00', '10:00', { crewId: south.id }),
      visit('09:00', '10:00', { status: 'Completed' }),
      visit('09:00', '10:00', { crewId: null }),
    ]
    const overlaps = overlapsOf([one, two, ...others])
    expect([overlapCount(overlaps), overlaps.get(one.id), overlaps.size]).toEqual([1, [two], 2])
  })
})

describe('a dropped visit', () => {
  const row: Zone = { kind: 'day', day: DAY, crewId: north.id, hours: { from: 480, to: 1080 } }
  const held = (one: Visit, mode: 'move' | 'resize' = 'move', grabbed = 0) => ({ visit: one, mode, grabbed })
  const drop = (one: ReturnType<typeof held>, zone: Zone, share = 0) => dropOf(one, { zone, share }, schedule(), ZONE)

  it('goes where it was let go, in quarters of an hour, held where it was taken', () => {
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

  it('keeps its time of day in a week and its crew in a month', () => {
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

  it('from the tray begins with its crew’s day, and goes back there', () => {
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

  it('grows and shrinks by its end, never below a quarter of an hour', () => {
    const one = visit('08:00', '10:00')
    expect(drop(held(one, 'resize'), row, 0.4)).toEqual({ startsAt: one.date, minutes: 240, crewId: north.id })
    expect(drop(held(one, 'resize'), row, 0)).toMatchObject({ minutes: 15 })
    expect(drop(held(one, 'resize'), row, 0.2)).toBeUndefined()
  })

  it('reads a place as it was written', () => {
    const anyCrew: Zone = { kind: 'day', day: DAY, crewId: undefined }
    for (const zone of [row, anyCrew, { kind: 'tray' } as const]) expect(readZone(zoneAttribute(zone))).toEqual(zone)
    expect(readZone(undefined)).toBeUndefined()
  })
})
