// What a history says of the ways by which a paper went.
import { expect, it } from 'vitest'
import { eventWords } from './event-words'

const sent = (detail: Record<string, unknown>) => eventWords({ kind: 'estimate_sent', detail }, 'America/Chicago')

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
