import { describe, expect, it } from 'vitest'
import { buildFile, buildJob, buildJobDetail } from '@/testing/job-builders'
import type { OutboxCommand, OutboxEntry } from '@/offline/outbox/entry'
import { groupJobsByDay, getNextJob } from './jobs-by-day'
import { applyPendingCommands, applyPendingToSummary } from './pending-commands'
import { nextFieldStep, missingPhotos } from './steps'
import { splitRoute } from './route'

const AT = '2026-11-21T15:00:00.000Z'
let id = 0
const entry = (jobId: string, command: OutboxCommand, parts: Partial<OutboxEntry> = {}): OutboxEntry => {
  id += 1
  return {
    id,
    key: `k${id}`,
    jobId,
    jobName: '#1007',
    command,
    happenedAt: AT,
    tries: 0,
    notBefore: 0,
    refusal: null,
    ...parts,
  }
}

describe('job with pending commands', () => {
  const job = buildJobDetail({
    scheduledAt: AT,
    checklist: [{ id: 'c1', label: 'Water off', doneAt: null, doneBy: null }],
  })

  it('shows them applied in order', () => {
    const way = entry(job.id, { kind: 'on_my_way', etaMinutes: 20 })
    const late = entry(job.id, { kind: 'late', minutes: 15 })
    expect(applyPendingCommands(job, [way, late])).toMatchObject({
      status: 'Scheduled',
      onMyWayAt: AT,
      etaAt: '2026-11-21T15:35:00.000Z',
    })
    const start = entry(job.id, { kind: 'status', to: 'in_progress' })
    const tick = entry(job.id, { kind: 'check', checkId: 'c1', done: true })
    const done = entry(job.id, { kind: 'status', to: 'completed' }, { happenedAt: '2026-11-21T16:00:00.000Z' })
    expect(applyPendingCommands(job, [way, start, tick, done])).toMatchObject({
      status: 'Completed',
      startedAt: AT,
      completedAt: '2026-11-21T16:00:00.000Z',
      checklist: [{ doneAt: AT }],
    })
  })

  it('ignores refused commands and those of other jobs', () => {
    expect(
      applyPendingCommands(job, [
        entry(job.id, { kind: 'status', to: 'completed' }, { refusal: 'No.' }),
        entry('other', { kind: 'status', to: 'completed' }),
      ]),
    ).toEqual(job)
  })

  it('applies them in lists too', () => {
    const line = buildJob({ date: AT })
    expect(
      applyPendingToSummary(line, [
        entry(line.id, { kind: 'on_my_way', etaMinutes: 10 }),
        entry(line.id, { kind: 'status', to: 'in_progress' }),
      ]),
    ).toMatchObject({ status: 'In Progress', onMyWayAt: AT })
    expect(applyPendingToSummary(line, [])).toBe(line)
  })
})

describe('jobs by day', () => {
  const zone = 'America/Chicago'
  const now = Date.parse('2026-11-21T18:00:00Z')
  const early = buildJob({ date: '2026-11-21T14:00:00Z' })
  const noon = buildJob({ date: '2026-11-21T18:00:00Z' })
  // Half past eleven at night where the business is.
  const night = buildJob({ date: '2026-11-22T05:30:00Z' })
  const tomorrow = buildJob({ date: '2026-11-22T15:00:00Z' })
  const monday = buildJob({ date: '2026-11-23T15:00:00Z' })
  const yesterday = buildJob({ date: '2026-11-20T20:00:00Z' })
  const over = buildJob({ date: '2026-11-20T15:00:00Z', status: 'Completed' })

  it('use the business’s clock, in work order', () => {
    const days = groupJobsByDay([monday, tomorrow, night, noon, early, yesterday, over], zone, now)
    expect(days.today.map((job) => job.id)).toEqual([early.id, noon.id, night.id])
    expect(days.tomorrow.map((job) => job.id)).toEqual([tomorrow.id])
    expect(days.overdue.map((job) => job.id)).toEqual([yesterday.id])
    expect(days.later?.id).toBe(monday.id)
  })

  it.each([
    ['what goes on, also since yesterday', [{ ...yesterday, status: 'In Progress' as const }, early], yesterday.id],
    ['where one is on the way to', [early, { ...noon, onMyWayAt: AT }], noon.id],
    ['the first of today that is open', [yesterday, { ...early, status: 'Completed' as const }, noon], noon.id],
    ['what is left over, when today is done', [yesterday, { ...early, status: 'Completed' as const }], yesterday.id],
    ['none', [{ ...early, status: 'Cancelled' as const }, tomorrow], undefined],
  ])('next job: %s', (_what, jobs, expected) => {
    expect(getNextJob(groupJobsByDay(jobs, zone, now))?.id).toBe(expected)
  })
})

describe('next field step', () => {
  it.each([
    [{ status: 'Scheduled', onMyWayAt: null }, 'way'],
    [{ status: 'Scheduled', onMyWayAt: AT }, 'start'],
    [{ status: 'In Progress', onMyWayAt: AT }, 'done'],
    [{ status: 'Completed', onMyWayAt: AT }, undefined],
    [{ status: 'Cancelled', onMyWayAt: null }, undefined],
  ] as const)('%o leads to %s', (job, step) => expect(nextFieldStep(job)).toBe(step))

  it('pending photos count, refused ones do not', () => {
    const job = buildJobDetail({ requiredPhotos: 'before_and_after', files: [buildFile({ moment: 'before' })] })
    const photo: OutboxCommand = { kind: 'photo', moment: 'after', name: 'a.jpg', type: 'image/jpeg', takenAt: AT }
    expect(missingPhotos(job, [])).toEqual(['after'])
    expect(missingPhotos(job, [entry(job.id, photo)])).toEqual([])
    expect(missingPhotos(job, [entry(job.id, photo, { refusal: 'Too large.' })])).toEqual(['after'])
    expect(missingPhotos({ ...job, requiredPhotos: 'none' }, [])).toEqual([])
  })
})

describe('day route', () => {
  const stop = (place: string | undefined, at: number) => ({ id: String(at), customer: `Customer ${at}`, place })

  it('visits every address in order, and skips missing ones', () => {
    const [leg, ...more] = splitRoute([
      stop('1 Oak St, 60601', 1),
      stop(undefined, 2),
      stop('2 Elm & Ash', 3),
      stop('2 Elm & Ash', 4),
      stop('3 Fir', 5),
    ])
    expect(more).toEqual([])
    const google = new URL(leg?.google ?? '')
    expect([google.searchParams.get('destination'), google.searchParams.get('waypoints')]).toEqual([
      '3 Fir',
      '1 Oak St, 60601|2 Elm & Ash',
    ])
    const apple = new URL(leg?.apple ?? '')
    expect([apple.searchParams.get('destination'), ...apple.searchParams.getAll('waypoint')]).toEqual([
      '3 Fir',
      '1 Oak St, 60601',
      '2 Elm & Ash',
    ])
  })

  it('is split into legs that a map accepts', () => {
    const legs = splitRoute(Array.from({ length: 12 }, (_, at) => stop(`${at + 1} Oak St`, at)))
    expect(legs.map(({ stops }) => stops)).toEqual(['1 – 10', '11 – 12'])
    expect(splitRoute([stop(undefined, 1)])).toEqual([])
  })
})
