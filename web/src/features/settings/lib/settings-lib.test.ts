import { describe, expect, it } from 'vitest'
import { ApiError } from '@/api/client'
import { getFaultRange, replaceRange } from './fault-range'
import { addClosedDate, addSpan, copyToWeekdays, formatOpenSpans, formatOpenSpan } from './business-hours'
import { stripErrorPrefix } from './strip-error-prefix'
import { parsePhone } from './parse-phone'
import { listTimeZones, filterTimeZones } from './time-zones'
import type { BusinessHours, TemplateFault } from '../types'

const day = [{ opens: '08:00', closes: '17:00' }]
const hours: BusinessHours = {
  week: { mon: day, tue: [], wed: [], thu: [], fri: [], sat: [], sun: [] },
  closedDates: [],
}

describe('business hours', () => {
  it('are formatted, also past midnight', () => {
    expect(formatOpenSpans([])).toBe('Closed')
    expect(formatOpenSpans(day)).toBe('8:00 AM to 5:00 PM')
    expect(formatOpenSpan({ opens: '21:00', closes: '02:00' })).toBe('9:00 PM to 2:00 AM the next morning')
    expect(formatOpenSpan({ opens: '12:00', closes: '00:00' })).toBe('12:00 PM to midnight')
    expect(formatOpenSpan({ opens: '00:00', closes: '00:00' })).toBe('Open all day and night')
  })

  it('add an evening span to an open day', () => {
    expect(addSpan(hours, 'sun').week.sun).toEqual(day)
    expect(addSpan(hours, 'mon').week.mon).toEqual([...day, { opens: '18:00', closes: '21:00' }])
  })

  it('are copied to weekdays only', () => {
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

describe('parsePhone', () => {
  it('accepts usual formats', () => {
    for (const typed of ['3125550142', '(312) 555-0142', '1 312.555.0142', '+1 312 555 0142'])
      expect(parsePhone(typed)).toBe('+13125550142')
  })

  it('refuses numbers outside the United States and Canada', () => {
    for (const typed of ['', '555-0142', '+44 20 7946 0018', '112 555 0142', '312 155 0142'])
      expect(parsePhone(typed)).toBeUndefined()
  })
})

describe('time zones', () => {
  it('start with the four common ones', () => {
    expect(
      listTimeZones()
        .slice(0, 4)
        .map(({ id }) => id),
    ).toEqual(['America/Chicago', 'America/New_York', 'America/Denver', 'America/Los_Angeles'])
  })

  it('match any word of their name', () => {
    expect(filterTimeZones(listTimeZones(), 'pacific').map(({ id }) => id)).toContain('America/Los_Angeles')
    expect(filterTimeZones(listTimeZones(), 'knox indiana').map(({ id }) => id)).toEqual(['America/Indiana/Knox'])
  })
})

describe('fault range', () => {
  const fault = (start: number | null, end: number | null): TemplateFault => ({
    code: 'unknown_variable',
    field: 'body',
    message: 'x',
    start,
    end,
  })

  it('is found after whitespace that the server trims', () => {
    const text = '  Hi {{ nme }}'
    const range = getFaultRange(text, fault(6, 9))
    expect(range && text.slice(range.start, range.end)).toBe('nme')
    expect(range && replaceRange(text, range, 'name')).toBe('  Hi {{ name }}')
  })

  it('is undefined for faults of the whole text, or a shortened text', () => {
    expect(getFaultRange('Hi', fault(null, null))).toBeUndefined()
    expect(getFaultRange('Hi', fault(6, 9))).toBeUndefined()
  })
})

describe('stripErrorPrefix', () => {
  it('maps field errors to the part’s form; other errors stay', () => {
    const error = new ApiError({
      status: 422,
      detail: 'x',
      errors: { 'calls.ringSeconds': 'too long', 'calls.forwardTo[0]': 'no number' },
    })
    expect(stripErrorPrefix(error, 'calls')).toMatchObject({
      errors: { ringSeconds: 'too long', forwardTo: 'no number' },
    })
    const other = new Error('away')
    expect(stripErrorPrefix(other, 'calls')).toBe(other)
  })
})
