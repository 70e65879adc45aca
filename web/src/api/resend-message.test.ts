import { expect, it } from 'vitest'
import { buildText } from '@/testing/builders'
import { describeResend } from './resend-message'

const words = { leaves: { title: 'Sending again', description: 'On its way.' }, heldTitle: 'Not sent yet' }
const message = buildText({})

it('message sent again: called sending only where it leaves now', () => {
  expect(describeResend({ sent: { message } }, words)).toEqual({ ...words.leaves, isHeld: false })
  const outlook = { state: 'held', text: 'held until 8:00 AM: it is night there' } as const
  expect(describeResend({ sent: { message, outlook } }, words)).toEqual({
    title: 'Not sent yet',
    description: 'Held until 8:00 AM: it is night there.',
    isHeld: true,
  })
  expect(describeResend({ asks: 'they texted STOP' }, words)).toBeUndefined()
})
