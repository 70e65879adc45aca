import { expect, it } from 'vitest'
import { describeWorkEvent } from './work-event-text'

const sent = (detail: Record<string, unknown>) =>
  describeWorkEvent({ kind: 'estimate_sent', detail }, 'America/Chicago')

it.each([
  [{ number: 'EST-1001', channels: ['email', 'sms'] }, 'EST-1001, by email and text'],
  [
    { number: 'EST-1001', channels: ['email'], leaving: ['sms'], notSent: [] },
    'EST-1001, by email, text is being sent',
  ],
  [
    { number: 'EST-1001', channels: ['email'], leaving: [], waiting: ['sms'], notSent: [] },
    'EST-1001, by email, text waiting to be sent',
  ],
  [
    {
      number: 'EST-1001',
      channels: ['email'],
      leaving: [],
      notSent: [{ channel: 'sms', reason: 'held: it is night there' }],
    },
    'EST-1001, by email, no text: held: it is night there',
  ],
])('%o reads %s', (detail, words) => {
  expect(sent(detail)).toBe(words)
})
