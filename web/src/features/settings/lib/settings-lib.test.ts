// What the settings work out by themselves: hours in words, numbers as typed, zones by name, the place of a fault.
import { describe, expect, it } from 'vitest'
import { ApiError } from '@/api/client'
import { rangeOf, replaceRange } from './fault-place'
import { addClosedDate, addSpan, copyToWeekdays, dayWords, spanWords } from './hours-words'
import { ownErrors } from './own-errors'
import { readPhone } from './read-phone'
import { allZones, matchingZones } from './time-zones'
import type { Hours, TemplateFault } from '../types'

const day = [{ opens: '08:00', closes: '17:00' }]
const hours: Hours = { week: { mon: day, tue: [], wed: [], thu: [], fri: [], sat: [], sun: [] }, closedDates: [] }

describe('business hours', () => {
  it('are said in words, over midnight too', () => {
    expect(dayWords([])).toBe('Closed')
    expect(dayWords(day)).toBe('8:00 AM to 5:00 PM')
    expect(spanWords({ opens: '21:00', closes: '02:00' })).toBe('9:00 PM to 2:00 AM the next morning')
    expect(spanWords({ opens: '12:00', closes: '00:00' })).toBe('12:00 PM to midnight')
    expect(spanWords({ opens: '00:00', closes: '00:00' })).toBe('Open all day and night')
  })

  it('get an evening after a day that is open already', () => {
    expect(addSpan(hours, 'sun').week.sun).toEqual(day)
    expect(addSpan(hours, 'mon').week.mon).toEqual([...day, { opens: '18:00', closes: '21:00' }])
  })

  it('are copied to the weekdays and to no other', () => {
    const { week } = copyToWeekdays(hours, 'mon')
    expect([week.tue, week.fri, week.sat]).toEqual([day, day, []])
  })

  it('hold each closed date once, in order', () => {
    const twice = [
      { date: '2026-12-25', label: '' },
      { date: '2026-11-26', label: 'Thanksgiving' },
      { date: '2026-12-25', label: 'Christmas' },
    ]
    expect(twice.reduce(addClosedDate, hours).closedDates).toEqual([
      { date: '2026-11-26', label: 'Thanksgiving' },
      { date: '2026-12-25', label: 'Christmas' },
    ])
  })
})

describe('a phone number', () => {
  it('is read however it is written', () => {
    for (const typed of ['3125550142', '(312) 555-0142', '1 312.555.0142', '+1 312 555 0142'])
      expect(readPhone(typed)).toBe('+13125550142')
  })

  it('is refused when it is none of the United States or Canada', () => {
    for (const typed of ['', '555-0142', '+44 20 7946 0018', '112 555 0142', '312 155 0142'])
      expect(readPhone(typed)).toBeUndefined()
  })
})

describe('time zones', () => {
  it('begin with the four of most customers', () => {
    expect(
      allZones()
        .slice(0, 4)
        .map(({ id }) => id),
    ).toEqual(['America/Chicago', 'America/New_York', 'America/Denver', 'America/Los_Angeles'])
  })

  it('are found by any word of their name', () => {
    expect(matchingZones(allZones(), 'pacific').map(({ id }) => id)).toContain('America/Los_Angeles')
    expect(matchingZones(allZones(), 'knox indiana').map(({ id }) => id)).toEqual(['America/Indiana/Knox'])
  })
})

describe('a fault', () => {
  const fault = (start: number | null, end: number | null): TemplateFault => ({
    code: 'unknown_variable',
    field: 'body',
    message: 'x',
    start,
    end,
  })

  it('is found behind the room that the server takes away', () => {
    const text = '  Hi {{ nme }}'
    const range = rangeOf(text, fault(6, 9))
    expect(range && text.slice(range.start, range.end)).toBe('nme')
    expect(range && replaceRange(text, range, 'name')).toBe('  Hi {{ name }}')
  })

  it('marks nothing when it is about the whole text, or the text is shorter by now', () => {
    expect(rangeOf('Hi', fault(null, null))).toBeUndefined()
    expect(rangeOf('Hi', fault(6, 9))).toBeUndefined()
  })
})

describe('the faults of one part', () => {
  it('stand at the fields of its form; another error stays as it is', () => {
    const error = new ApiError({
      status: 422,
      detail: 'x',
      errors: { 'calls.ringSeconds': 'too long', 'calls.forwardTo[0]': 'no number' },
    })
    expect(ownErrors(error, 'calls')).toMatchObject({ errors: { ringSeconds: 'too long', forwardTo: 'no number' } })
    const other = new Error('away')
    expect(ownErrors(other, 'calls')).toBe(other)
  })
})
