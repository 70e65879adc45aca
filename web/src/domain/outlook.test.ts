import { expect, it } from 'vitest'
import { leaves, waitingSentence } from './outlook'

it('calls sent only what leaves', () => {
  const held = { state: 'held', text: 'held until 8:00 AM: it is night there' }
  expect([undefined, null, { state: 'leaves', text: 'on its way' }, held].map(leaves)).toEqual([
    true,
    true,
    true,
    false,
  ])
  expect(['filed', 'waits', 'not_sent'].map((state) => leaves({ state, text: '' }))).toEqual([false, false, false])
  expect([undefined, { state: 'leaves', text: 'on its way' }, held].map(waitingSentence)).toEqual([
    '',
    '',
    'Held until 8:00 AM: it is night there.',
  ])
})
