import { describe, expect, it } from 'vitest'
import type { OutboxCommand, OutboxEntry } from '@/offline/outbox/entry'
import { buildJob } from '@/testing/job-builders'
import { buildWorkItem } from '@/testing/work-builders'
import { describeAge, describePromise, describeReason, getName } from './lib/describe-item'
import { getItemAction, getItemPath } from './lib/item-action'
import { findNextVisit } from './lib/next-visit'
import { collectMarks, withPendingAssignee } from './lib/pending-marks'
import { getSnoozeTimes } from './lib/snooze-times'
import { changeCount, withAssignee, withoutItem, withoutMarked } from './lib/work-list-cache'

const ZONE = 'America/Chicago'
/** Sunday 2:00 PM in Chicago. */
const NOW = Date.parse('2026-11-22T20:00:00Z')
const MINUTE = 60_000
const ago = (minutes: number) => new Date(NOW - minutes * MINUTE).toISOString()

describe('reason of an item', () => {
  it.each([
    [{ kind: 'answer', source: 'form' }, 12, 'Asked by form 12 min ago'],
    [{ kind: 'answer', source: 'text' }, 0, 'Texted just now'],
    [{ kind: 'answer', source: 'call' }, 130, 'Called 2 h 10 min ago'],
    [{ kind: 'call_back', source: 'call' }, 5, 'Missed call 5 min ago'],
    [{ kind: 'schedule', source: 'estimate' }, 2880, 'Estimate approved, not scheduled, 2 d ago'],
    [{ kind: 'assign_crew', source: 'job' }, -90, 'Visit without a crew, today 3:30 PM'],
    [{ kind: 'collect', source: 'invoice' }, 1440 * 12, 'Invoice past due, 12 d ago'],
  ] as const)('%j since %i minutes: %s', (parts, minutes, words) => {
    expect(describeReason(buildWorkItem({ ...parts, since: ago(minutes) }), NOW, ZONE)).toBe(words)
  })

  it.each([
    [4, 'success', 'Just in'],
    [5, 'warning', 'Waiting, 5 min'],
    [59, 'warning', 'Waiting, 59 min'],
    [60, 'error', 'Long wait, 1 h'],
  ] as const)('age of %i minutes: %s, in words too', (minutes, tone, words) => {
    expect(describeAge(ago(minutes), NOW)).toEqual({ tone, words })
  })

  it('age: none for what is still to come', () => {
    expect(describeAge(ago(-90), NOW)).toBeUndefined()
  })

  it.each([
    [ago(-15), false, { isLate: false, words: 'Answer by 2:15 PM' }],
    [ago(-1440), false, { isLate: false, words: 'Answer by tomorrow 2:00 PM' }],
    [ago(20), true, { isLate: true, words: 'Promised by 1:40 PM, 20 min late' }],
    [null, false, undefined],
  ])('promise of %s', (answerBy, isLate, expected) => {
    expect(describePromise({ answerBy, isLate }, NOW, ZONE)).toEqual(expected)
  })

  it.each([
    [{ customerName: 'Ana Arroyo' }, 'Ana Arroyo'],
    [{ customerName: null }, '(312) 555-0199'],
    [{ customerName: '', phone: null }, 'Unknown caller'],
  ])('name of %j: %s', (parts, name) => expect(getName(buildWorkItem(parts))).toBe(name))
})

describe('action of an item', () => {
  const ids = { leadId: 'l1', customerId: 'c1' }
  it.each([
    [{ action: 'call' }, 'Call', 'tel:+13125550199'],
    [{ action: 'call', phone: '(312) •••-0199' }, 'Open', '/app/leads/l1'],
    [{ action: 'call', phone: null }, 'Open', '/app/leads/l1'],
    [{ action: 'answer', source: 'text' }, 'Text', '/app/inbox/c1?do=answer'],
    [{ action: 'answer', source: 'text', noText: 'they said STOP' }, 'Answer', '/app/inbox/c1?do=answer'],
    [{ kind: 'schedule', action: 'book' }, 'Book', '/app/leads/l1?do=schedule'],
    [{ kind: 'send_estimate', action: 'send_estimate' }, 'Send estimate', '/app/leads/l1?do=estimate'],
    [{ kind: 'assign_crew', action: 'assign_crew', jobId: 'j1' }, 'Assign a crew', '/app/jobs/j1?do=assign'],
    [{ kind: 'send_invoice', action: 'send_invoice', jobId: 'j1' }, 'Send invoice', '/app/jobs/j1?do=invoice'],
    [{ kind: 'collect', action: 'collect', invoiceId: 'i1' }, 'Collect', '/app/invoices/i1?do=collect'],
    [{ kind: 'review_answer', action: 'answer', reviewId: 'r1' }, 'Answer', '/app/reviews?review=r1'],
    [{ kind: 'held_request', action: 'open' }, 'Open', '/app/leads/l1'],
  ] as const)('%j: %s opens %s', (parts, label, address) => {
    const action = getItemAction(buildWorkItem({ ...ids, ...parts }))
    expect([action.label, 'href' in action ? action.href : action.to]).toEqual([label, address])
  })

  it('page: the conversation where there is no record, else the list', () => {
    const { leadId: _lead, ...unfiled } = buildWorkItem({ customerId: 'c1' })
    expect(getItemPath(unfiled)).toBe('/app/inbox/c1')
    const { customerId: _customer, ...unknown } = unfiled
    expect(getItemPath(unknown)).toBe('/app')
  })

  it('answer: on the page of the lead where there is no conversation', () => {
    const { customerId: _customer, ...item } = buildWorkItem({ leadId: 'l1' })
    expect(getItemAction(item)).toMatchObject({ label: 'Answer', to: '/app/leads/l1?do=answer' })
  })
})

describe('snooze times', () => {
  it.each([
    ['2026-11-24T20:00:00Z', ['2026-11-24T21:00:00.000Z', '2026-11-25T14:00:00.000Z', '2026-11-30T14:00:00.000Z']],
    // Monday: the next one.
    ['2026-11-23T20:00:00Z', ['2026-11-23T21:00:00.000Z', '2026-11-24T14:00:00.000Z', '2026-11-30T14:00:00.000Z']],
    // Sunday: Monday is tomorrow.
    ['2026-11-22T20:00:00Z', ['2026-11-22T21:00:00.000Z', '2026-11-23T14:00:00.000Z']],
    // The clock goes forward on March 8.
    ['2026-03-07T20:00:00Z', ['2026-03-07T21:00:00.000Z', '2026-03-08T13:00:00.000Z', '2026-03-09T13:00:00.000Z']],
  ])('on the clock of the business, at %s', (now, expected) => {
    expect(getSnoozeTimes(ZONE, Date.parse(now)).map(({ until }) => until)).toEqual(expected)
  })
})

describe('fetched lists', () => {
  const [ana, ben] = [buildWorkItem({ customerName: 'Ana' }), buildWorkItem({ customerName: 'Ben' })]
  const lists = { pages: [{ items: [ana, ben], total: 2, cursor: null }], pageParams: [null] }

  it('lose a marked item and its number, and nothing for one that is not there', () => {
    expect(withoutItem(lists, ana.key)?.pages).toEqual([{ items: [ben], total: 1, cursor: null }])
    expect(withoutItem(lists, 'answer:gone')).toBe(lists)
    expect(withoutItem(undefined, ana.key)).toBeUndefined()
  })

  it('show who has it', () => {
    const assignee = { id: 'u1', name: 'Olivia' }
    expect(withAssignee(lists, ben.key, assignee)?.pages[0]?.items).toEqual([ana, { ...ben, assignee }])
  })

  it('count: never below zero, and unchanged where it is capped', () => {
    expect(changeCount({ waiting: 0, late: 0, isCapped: false }, -1)?.waiting).toBe(0)
    expect(changeCount({ waiting: 3, late: 0, isCapped: false }, 1)?.waiting).toBe(4)
    expect(changeCount({ waiting: 2000, late: 0, isCapped: true }, -1)?.waiting).toBe(2000)
  })

  it('count without marks that wait on this device: no more are late than wait', () => {
    expect(withoutMarked({ waiting: 3, late: 2, isCapped: false }, 2)).toEqual({ waiting: 1, late: 1, isCapped: false })
    expect(withoutMarked({ waiting: 1, late: 0, isCapped: false }, 2).waiting).toBe(0)
    expect(withoutMarked({ waiting: 2000, late: 5, isCapped: true }, 2).waiting).toBe(2000)
  })
})

describe('marks that wait on this device', () => {
  const since = ago(10)
  const sam = { id: 'u2', name: 'Sam' }
  const mark = (id: number, jobId: string, command: OutboxCommand, refusal: string | null = null): OutboxEntry => ({
    id,
    key: `k${id}`,
    jobId,
    jobName: 'Ana',
    command,
    happenedAt: since,
    tries: 0,
    notBefore: 0,
    refusal,
  })

  it('hide what is done or snoozed, and show who has what is assigned; refused ones change nothing', () => {
    const item = buildWorkItem()
    const marks = collectMarks([
      mark(1, 'answer:a', { kind: 'work_done', since }),
      mark(2, 'answer:b', { kind: 'work_snooze', since, until: ago(-60) }),
      mark(3, 'answer:c', { kind: 'work_done', since }, 'Something new came in.'),
      mark(4, item.key, { kind: 'work_assign', to: sam }),
      mark(5, 'c1', { kind: 'message', message: { channel: 'sms', body: 'Hi' } }),
    ])
    expect([...marks.hiddenKeys]).toEqual(['answer:a', 'answer:b'])
    expect(marks.entries.map(({ id }) => id)).toEqual([1, 2, 3, 4])
    expect(withPendingAssignee(item, marks).assignee).toEqual(sam)
    const other = buildWorkItem()
    expect(withPendingAssignee(other, marks)).toBe(other)
  })
})

it('next visit: the first that has not begun', () => {
  const at = (hours: number) => new Date(NOW + hours * 60 * MINUTE).toISOString()
  const next = buildJob({ date: at(1) })
  const jobs = [
    buildJob({ date: at(30) }),
    buildJob({ date: at(-1) }),
    buildJob({ date: at(0.5), status: 'Cancelled' }),
    next,
    buildJob(),
  ]
  expect(findNextVisit(jobs, NOW)).toBe(next)
  expect(findNextVisit([buildJob()], NOW)).toBeUndefined()
})
