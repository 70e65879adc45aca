import { expect, it } from 'vitest'
import { isSendingNow, describeHeldDelivery } from './delivery-outlook'

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
