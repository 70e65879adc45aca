import { expect, it } from 'vitest'
import { evidenceLines } from './message'

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
    'The switch of this message: off',
    'Asked to stop: no',
    'Kind of message in law: an answer to what they asked',
    'Hours in which a text may arrive: 8:00 AM to 9:00 PM',
    'Time zones of the number: America/Chicago, America/New_York',
    'Most automatic texts a day: 100',
    'Language: English',
    'Some new thing inner: yes',
  ])
})
