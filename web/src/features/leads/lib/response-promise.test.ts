import { expect, it } from 'vitest'
import { buildLead } from '@/testing/builders'
import {
  isAwaitingResponse,
  describeResponsePromise,
  formatDurationShort,
  type ResponsePromise,
} from './response-promise'

const CHICAGO = 'America/Chicago'
/** Made on Friday at 4:00 PM. */
const promise: ResponsePromise = {
  state: 'open',
  words: 'within 24 hours',
  madeAt: '2026-11-20T22:00:00.000Z',
  dueAt: '2026-11-21T22:00:00.000Z',
  warnAt: '2026-11-21T16:00:00.000Z',
  answeredAt: null,
}
const at = (instant: string) => describeResponsePromise(promise, Date.parse(instant), CHICAGO)

it.each([
  ['2026-11-20T22:00:01Z', 'neutral', 'Answer by Sat 4:00 PM, 23 h left'],
  ['2026-11-21T15:59:59Z', 'neutral', 'Answer by 4:00 PM today, 6 h left'],
  ['2026-11-21T16:00:00Z', 'warning', 'Answer by 4:00 PM today, 6 h left'],
  ['2026-11-21T21:59:30Z', 'warning', 'Answer by 4:00 PM today, 1 min left'],
  ['2026-11-21T22:00:00Z', 'warning', 'Answer by 4:00 PM today, 1 min left'],
  ['2026-11-21T22:00:01Z', 'error', 'Promised by 4:00 PM today, 1 min late'],
  ['2026-11-22T00:00:00Z', 'error', 'Promised by 4:00 PM today, 2 h late'],
  ['2026-11-22T07:00:00Z', 'error', 'Promised by Sat 4:00 PM, 9 h late'],
  ['2026-12-01T00:00:00Z', 'error', 'Promised by Sat, Nov 21 4:00 PM, 9 d late'],
])('at %s: %s, %s', (instant, tone, words) => expect(at(instant)).toMatchObject({ tone, words }))

it('out-of-hours promise: names the due time, not the opening', () => {
  const night: ResponsePromise = {
    ...promise,
    words: 'after opening Monday 8:00 AM',
    dueAt: '2026-11-23T15:00:00.000Z',
    warnAt: '2026-11-22T22:45:00.000Z',
  }
  const words = (now: string) => describeResponsePromise(night, Date.parse(now), CHICAGO).words
  expect(words('2026-11-20T22:00:01Z')).toBe('Answer by Mon 9:00 AM, 2 d left')
  expect(words('2026-11-23T16:00:00Z')).toBe('Promised by 9:00 AM today, 1 h late')
})

it('promise states: differ in colour, icon and text', () => {
  const looks = ['2026-11-20T22:00:01Z', '2026-11-21T16:00:00Z', '2026-11-22T00:00:00Z'].map(
    (instant) => at(instant).icon,
  )
  expect(new Set(looks).size).toBe(3)
})

it.each([
  [30_000, '1 min'],
  [59 * 60_000, '59 min'],
  [3_600_000, '1 h'],
  [47.9 * 3_600_000, '47 h'],
  [48 * 3_600_000, '2 d'],
])('%d ms reads %s', (ms, words) => expect(formatDurationShort(ms)).toBe(words))

it.each([
  ['open', {}, true],
  ['broken', {}, true],
  ['broken', { answeredAt: '2026-11-22T00:00:00.000Z' }, false],
  ['kept', { answeredAt: '2026-11-21T00:00:00.000Z' }, false],
  ['released', {}, false],
] as const)('%s %o: awaiting a response: %s', (state, parts, waits) =>
  expect(isAwaitingResponse(buildLead({ promise: { ...promise, state, ...parts } }))).toBe(waits),
)

it('work that is done: only customers who called or texted since wait', () => {
  const done = { promise, stage: 'Done' } as const
  expect(isAwaitingResponse(buildLead(done))).toBe(false)
  expect(isAwaitingResponse(buildLead({ ...done, waitingSince: '2026-11-20T21:59:00.000Z' }))).toBe(true)
})

it('held leads and leads without a promise: not awaiting', () => {
  expect(isAwaitingResponse(buildLead({ promise, heldReason: 'It looks like a robot' }))).toBe(false)
  expect([isAwaitingResponse(buildLead()), isAwaitingResponse(buildLead({ promise: null }))]).toEqual([false, false])
})
