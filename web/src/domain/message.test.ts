import { expect, it } from 'vitest'
import { describeDecisionChannel, evidenceLines, isStaffMessage } from './message'

it('evidence lines: ordered and labelled', () => {
  const evidence = {
    dailyTextBudget: 100,
    hours: { source: [], zones: ['America/Chicago', 'America/New_York'], rule: '8:00 AM to 9:00 PM' },
    optedOut: null,
    clock: '2026-11-21T14:30:00Z',
    switchOn: false,
    class: 'conversational',
    language: 'en',
    someNewThing: { inner: true },
  }
  expect(evidenceLines(evidence, 'America/Chicago').map(({ label, value }) => `${label}: ${value}`)).toEqual([
    'Time of the decision: Nov 21, 2026, 8:30 AM',
    'Automation switch: off',
    'Asked to stop: no',
    'Legal category: an answer to what they asked',
    'Hours in which a text may arrive: 8:00 AM to 9:00 PM',
    'Time zones of the number: America/Chicago, America/New_York',
    'Most automatic texts a day: 100',
    'Language: English',
    'Some new thing inner: yes',
  ])
})

it('evidence lines: an alert to the own people is not called news of their request', () => {
  const values = (forStaff: boolean) =>
    evidenceLines({ class: 'informational' }, 'America/Chicago', forStaff).map(({ value }) => value)
  expect(values(true)).toEqual(['an alert to your own people'])
  expect(values(false)).toEqual(['news of their own request or job'])
  expect([isStaffMessage('owner_notice'), isStaffMessage('auto_reply')]).toEqual([true, false])
})

it('decision channel: names an alert to the own people', () => {
  expect(describeDecisionChannel({ channel: 'email', rule: 'owner_notice' })).toBe('Alert to you by email')
  expect(describeDecisionChannel({ channel: null, rule: 'owner_notice' })).toBe('Alert to you')
  expect(describeDecisionChannel({ channel: 'sms', rule: 'auto_reply' })).toBe('SMS')
  expect(describeDecisionChannel({ channel: null, rule: 'auto_reply' })).toBeUndefined()
})
