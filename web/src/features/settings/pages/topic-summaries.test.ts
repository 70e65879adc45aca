import { expect, it } from 'vitest'
import { buildSettings } from '@/testing/settings'
import { summarizeHours, summarizeTopics } from './topic-summaries'

const none = {
  organization: undefined,
  settings: undefined,
  number: undefined,
  peopleCount: undefined,
  crewCount: undefined,
}

it('hours: days next to each other with the same hours are one run', () => {
  const { hours } = buildSettings()
  expect(summarizeHours(hours)).toBe('Mon to Fri 8:00 AM to 5:00 PM')
  const saturday = { ...hours, week: { ...hours.week, sat: [{ opens: '09:00', closes: '12:00' }] } }
  expect(summarizeHours(saturday)).toBe('Mon to Fri 8:00 AM to 5:00 PM; Sat 9:00 AM to 12:00 PM')
  const week = { mon: [], tue: [], wed: [], thu: [], fri: [], sat: [], sun: [] }
  expect(summarizeHours({ ...hours, week })).toBe('Closed all week')
})

it('present values: each in one line', () => {
  expect(summarizeTopics({ ...none, settings: buildSettings(), peopleCount: 1, crewCount: 0 })).toMatchObject({
    automations: '4 of 5 on',
    'automatic-replies': 'Off',
    'online-booking': 'On, up to 30 days ahead',
    recipients: '0 emails, 1 phone',
    invoices: 'Due after 14 days, reminders on',
    people: '1 person',
    crews: 'No crew yet',
  })
})

it('data that is not loaded: no value', () => expect(summarizeTopics(none)).toEqual({}))
