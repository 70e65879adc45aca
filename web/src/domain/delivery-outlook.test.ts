import { expect, it } from 'vitest'
import { isSendingNow, describeHeldDelivery, describeTextDelivery } from './delivery-outlook'

it('isSendingNow: false for held messages', () => {
  const held = { state: 'held', text: 'held until 8:00 AM: it is night there' }
  expect([undefined, null, { state: 'leaves', text: 'on its way' }, held].map(isSendingNow)).toEqual([
    true,
    true,
    true,
    false,
  ])
  expect(['filed', 'waits', 'not_sent'].map((state) => isSendingNow({ state, text: '' }))).toEqual([
    false,
    false,
    false,
  ])
  expect([undefined, { state: 'leaves', text: 'on its way' }, held].map(describeHeldDelivery)).toEqual([
    '',
    '',
    'Held until 8:00 AM: it is night there.',
  ])
})

it('describeTextDelivery: what becomes of a text', () => {
  const outlooks = [
    { state: 'leaves', text: 'on its way' },
    { state: 'held', text: 'held until 8:00 AM: it is night there' },
    { state: 'waits', text: 'waiting: sending is stopped right now' },
    { state: 'not_sent', text: 'they said STOP' },
  ]
  expect(outlooks.map(describeTextDelivery)).toEqual([
    'The text is on its way.',
    'The text is held until 8:00 AM: it is night there.',
    'The text is waiting: sending is stopped right now.',
    'The text was not sent: they said STOP.',
  ])
})
