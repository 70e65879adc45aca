import { describe, expect, it } from 'vitest'
import { formatAsOf, formatDate, formatDateTime, formatRelative } from './date'
import { formatCents, formatMoney } from './money'
import { formatBytes, formatCount, formatPercent } from './number'
import { formatPhone, telHref } from './phone'
import { formatIdentifier } from './identifier'

const plain = (text: string) => text.replaceAll('\u202f', ' ')

describe('money', () => {
  it('shows cents only where there are any', () => {
    expect(formatMoney(1250)).toBe('$1,250')
    expect(formatMoney(1250.5)).toBe('$1,250.50')
    expect(formatMoney(0)).toBe('$0')
  })

  it('always shows cents where amounts are compared', () => {
    expect(formatCents(1250)).toBe('$1,250.00')
    expect(formatCents(0.5)).toBe('$0.50')
  })
})

describe('dates', () => {
  it('use the organization’s zone', () => {
    const instant = '2026-11-21T03:30:00.000Z'
    expect(formatDate(instant, 'America/Chicago')).toBe('Nov 20, 2026')
    expect(formatDate(instant, 'America/New_York')).toBe('Nov 20, 2026')
    expect(formatDate(instant, 'UTC')).toBe('Nov 21, 2026')
    expect(plain(formatDateTime(instant, 'America/Chicago'))).toBe('Nov 20, 2026, 9:30 PM')
  })

  it('are empty for invalid instants', () => {
    expect(formatDate('soon')).toBe('')
    expect(formatRelative('soon', 0)).toBe('')
  })

  it('are relative, absolute after a week', () => {
    const now = Date.parse('2026-11-21T12:00:00Z')
    const ago = (seconds: number) => plain(formatRelative(now - seconds * 1000, now, 'UTC'))
    expect(ago(3)).toBe('just now')
    expect(ago(30)).toBe('30 sec. ago')
    expect(ago(5 * 60)).toBe('5 min. ago')
    expect(ago(3 * 3600)).toBe('3 hr. ago')
    expect(ago(26 * 3600)).toBe('yesterday')
    expect(ago(8 * 86_400)).toBe('Nov 13, 2026')
  })

  it('show "as of", with the day unless today', () => {
    const now = Date.parse('2026-11-21T18:00:00Z')
    expect(plain(formatAsOf(Date.parse('2026-11-21T16:42:00Z'), 'America/Chicago', now))).toBe('as of 10:42 AM')
    expect(plain(formatAsOf(Date.parse('2026-11-20T16:42:00Z'), 'America/Chicago', now))).toBe(
      'as of Nov 20, 2026, 10:42 AM',
    )
  })
})

describe('identifiers', () => {
  it.each([
    ['leadCreated', 'Lead created'],
    ['heldForAPerson', 'Held for a person'],
    ['auto_reply', 'Auto reply'],
    ['lead.created', 'Lead created'],
    ['SMS is off, see twilio_error', 'SMS is off, see twilio_error'],
  ])('formats %s', (name, words) => expect(formatIdentifier(name)).toBe(words))
})

describe('phone numbers', () => {
  it('formats US numbers and leaves others', () => {
    expect(formatPhone('+13125550142')).toBe('(312) 555-0142')
    expect(formatPhone('312.555.0142')).toBe('(312) 555-0142')
    expect(formatPhone('+442079460958')).toBe('+442079460958')
    expect(formatPhone('555-0142')).toBe('555-0142')
    expect(formatPhone('+4930123456')).toBe('+4930123456')
  })

  it('builds tel: links', () => expect(telHref('(312) 555-0142')).toBe('tel:3125550142'))
})

describe('numbers', () => {
  it('groups, rounds and formats sizes', () => {
    expect(formatCount(1204)).toBe('1,204')
    expect(formatPercent(0.654)).toBe('65%')
    expect(formatBytes(0)).toBe('0 Bytes')
    expect(formatBytes(900)).toBe('900 Bytes')
    expect(formatBytes(1536)).toBe('1.5 KB')
    expect(formatBytes(5 * 1024 * 1024)).toBe('5 MB')
    expect(formatBytes(3 * 1024 ** 3)).toBe('3 GB')
    expect(formatBytes(5000 * 1024 ** 3)).toBe('5000 GB')
  })
})
