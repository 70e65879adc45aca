import { describe, expect, it } from 'vitest'
import { buildText } from '@/testing/builders'
import type { ConversationItem, ConversationPage } from '../types'
import { describeMessageState } from './message-state'
import { withSmsBody } from './sms-link'
import { groupItemsByDay, mergeConversationPages } from './timeline'
import { describeWait } from './describe-wait'
import { getZoneDay, formatDayName, toInstant, getZoneTime } from '@/lib/format/zone-time'

const CHICAGO = 'America/Chicago'
const at = (text: string) => Date.parse(text)

describe('time on the business’s clock', () => {
  it.each([
    ['2026-11-21', '08:00', '2026-11-21T14:00:00.000Z'],
    ['2026-07-01', '08:00', '2026-07-01T13:00:00.000Z'],
    // The hour that comes twice is taken the first time; the one that is left out counts as the one after it.
    ['2026-11-01', '01:30', '2026-11-01T06:30:00.000Z'],
    ['2027-03-14', '02:30', '2027-03-14T08:30:00.000Z'],
    ['2026-11-01', '03:00', '2026-11-01T09:00:00.000Z'],
  ])('%s %s is the instant %s', (day, time, instant) => {
    expect(toInstant(CHICAGO, day, time).toISOString()).toBe(instant)
  })

  it('has its own day, also where the device is a day ahead', () => {
    const instant = at('2026-11-21T03:00:00Z')
    expect(getZoneDay(CHICAGO, instant)).toBe('2026-11-20')
    expect(getZoneDay(CHICAGO, instant, 1)).toBe('2026-11-21')
    expect(getZoneTime(CHICAGO, instant)).toBe('21:00')
  })

  it('names the days around today', () => {
    const now = at('2026-11-21T18:00:00Z')
    expect(formatDayName(CHICAGO, now, now)).toBe('Today')
    expect(formatDayName(CHICAGO, at('2026-11-21T03:00:00Z'), now)).toBe('Yesterday')
    expect(formatDayName(CHICAGO, at('2026-11-22T18:00:00Z'), now)).toBe('Tomorrow')
    expect(formatDayName(CHICAGO, at('2026-11-18T18:00:00Z'), now)).toBe('Wed, Nov 18')
    expect(formatDayName(CHICAGO, at('2025-11-18T18:00:00Z'), now)).toBe('Tue, Nov 18, 2025')
  })
})

describe('message state', () => {
  const now = at('2026-11-21T18:00:00Z')
  const text = (parts: Parameters<typeof buildText>[0]) => describeMessageState(buildText(parts), CHICAGO, now).text

  it('held: until when and why', () => {
    expect(
      text({ status: 'held', statusText: 'held: it is after 9 PM there', heldUntil: '2026-11-22T14:00:00Z' }),
    ).toBe('Held until tomorrow 8:00 AM: it is after 9 PM there')
    expect(text({ status: 'held', statusText: 'held', heldUntil: '2026-11-22T14:00:00Z' })).toBe(
      'Held until tomorrow 8:00 AM',
    )
  })

  it('text that waits without a number: not promised', () => {
    const textsOff = 'your business has no number to send texts from'
    const queued = {
      status: 'queued',
      statusText: 'waiting to be sent',
      attempts: 0,
      nextAttemptAt: '2026-11-23T14:00:00Z',
    } as const
    const shown = (parts: Parameters<typeof buildText>[0]) =>
      describeMessageState(buildText({ ...queued, ...parts }), CHICAGO, now, { textsOff, isBlocked: false }).text
    expect(shown({})).toBe(`Will not be sent: ${textsOff}`)
    expect(shown({ channel: 'email' })).toBe('Goes out Mon, Nov 23 8:00 AM')
    expect(text({ ...queued, statusText: 'will not be sent: they texted STOP' })).toBe(
      'Will not be sent: they texted STOP',
    )
  })

  it.each([
    ['your email address is not confirmed yet; confirm it first', 'your email address was not confirmed'],
    ['nothing goes to others before your first payment; subscribe under Billing', 'nothing went to others before'],
    ['your business has no number to send texts from', 'your business had no number to send texts from'],
  ])('not sent: %s: can be sent again once that is over', (reason, was) => {
    const stopped = buildText({ status: 'not_sent', statusText: `not sent: ${reason}`, retryable: true })
    const open = { textsOff: null, isBlocked: false }
    const shown = (blocks?: Parameters<typeof describeMessageState>[3]) =>
      describeMessageState(stopped, CHICAGO, now, blocks).text
    expect(shown(open)).toMatch(new RegExp(`^Not sent: ${was}.*\\. You can send it again now$`))
    for (const blocks of [undefined, { ...open, isBlocked: true }, { ...open, textsOff: undefined }])
      expect(shown(blocks)).toBe(`Not sent: ${reason}`)
    expect(shown({ ...open, textsOff: 'SMS is not set up' })).toBe('Not sent: SMS is not set up')
    expect(shown({ ...open, textsOff: reason })).toBe(`Not sent: ${reason}`)
  })

  it('queued: when it goes out, and the number of tries', () => {
    const queued = { status: 'queued', statusText: 'waiting to be sent', attempts: 0 } as const
    expect(text(queued)).toBe('Waiting to be sent')
    expect(text({ ...queued, nextAttemptAt: '2026-11-21T18:00:50Z' })).toBe('Goes out within a minute')
    expect(text({ ...queued, nextAttemptAt: '2026-11-23T14:00:00Z' })).toBe('Goes out Mon, Nov 23 8:00 AM')
    expect(
      text({
        ...queued,
        statusText: 'waiting to be sent: sending is stopped right now',
        nextAttemptAt: '2026-11-21T18:00:50Z',
      }),
    ).toBe('Waiting to be sent: sending is stopped right now')
    expect(text({ ...queued, attempts: 2, nextAttemptAt: '2026-11-21T18:04:00Z' })).toBe(
      'Tried 2 times, next today 12:04 PM',
    )
  })

  it('others: the server’s text', () => {
    expect(text({ status: 'not_sent', statusText: 'not sent: they said STOP' })).toBe('Not sent: they said STOP')
    expect(text({ status: 'sent', statusText: 'sent from your own phone' })).toBe('Sent from your own phone')
  })
})

describe('timeline', () => {
  const buildItem = (id: string, instant: string, sentAt = instant): ConversationItem => ({
    type: 'message',
    at: instant,
    message: buildText({ id, createdAt: instant, sentAt }),
    photos: [],
  })
  const page = (...items: ConversationItem[]) => ({ items }) as ConversationPage

  it('lists each item once in order when pages overlap', () => {
    const [a, b, c] = [
      buildItem('a', '2026-11-20T10:00:00Z'),
      buildItem('b', '2026-11-20T11:00:00Z'),
      buildItem('c', '2026-11-21T11:00:00Z'),
    ]
    expect(mergeConversationPages([page(b, c), page(a, b)])).toEqual([a, b, c])
  })

  it('groups by the business’s days', () => {
    const days = groupItemsByDay(
      [
        buildItem('a', '2026-11-20T20:00:00Z'),
        buildItem('b', '2026-11-21T05:59:00Z'),
        buildItem('c', '2026-11-21T06:00:00Z'),
      ],
      CHICAGO,
    )
    expect(days.map(({ day, items }) => [day, items.length])).toEqual([
      ['2026-11-20', 2],
      ['2026-11-21', 1],
    ])
  })

  it('places a held message at the time it was sent', () => {
    const [held, late] = [
      buildItem('held', '2026-11-20T23:00:00Z', '2026-11-21T15:05:00Z'),
      buildItem('late', '2026-11-21T01:00:00Z'),
    ]
    const items = mergeConversationPages([page(held, late)])
    expect(items).toEqual([late, held])
    expect(groupItemsByDay(items, CHICAGO).map(({ day, items: [item] }) => [day, item])).toEqual([
      ['2026-11-20', late],
      ['2026-11-21', held],
    ])
  })
})

describe('wait', () => {
  it.each([
    [30_000, 'under 1 min', 'success'],
    [4 * 60_000, '4 min', 'success'],
    [5 * 60_000, '5 min', 'warning'],
    [60 * 60_000, '1 h', 'error'],
    [130 * 60_000, '2 h 10 min', 'error'],
    [50 * 3_600_000, '2 d', 'error'],
  ] as const)('of %i ms reads “%s”', (ms, text, tone) => {
    expect(describeWait(ms)).toEqual({ text, tone })
  })
})

describe('SMS link', () => {
  it('carries the text', () => {
    expect(withSmsBody('sms:+13125550199', 'On my way & soon')).toBe('sms:+13125550199?body=On%20my%20way%20%26%20soon')
    expect(withSmsBody('sms:+13125550199?body=old', 'new')).toBe('sms:+13125550199?body=new')
    expect(withSmsBody('sms:+13125550199', '  ')).toBe('sms:+13125550199')
  })
})
