import { expect, it } from 'vitest'
import { parseSharedCall } from './shared-call'

it.each([
  ['(512) 555-0142', { phone: '(512) 555-0142', name: '', notes: '' }],
  ['tel:+15125550142', { phone: '+15125550142', name: '', notes: '' }],
  ['Ann Lee 512.555.0142', { phone: '512.555.0142', name: 'Ann Lee', notes: '' }],
  ['Ann Lee, +1 512 555 0142', { phone: '+1 512 555 0142', name: 'Ann Lee', notes: '' }],
  ['Call: 5125550142', { phone: '5125550142', name: '', notes: '' }],
  ['María-José O’Neil: +44 20 7946 0018', { phone: '+44 20 7946 0018', name: 'María-José O’Neil', notes: '' }],
  [
    'Hi, my heater leaks, please call 512-555-0142 today',
    { phone: '512-555-0142', name: '', notes: 'Hi, my heater leaks, please call today' },
  ],
])('the number and the words of %j are told apart', (text, wanted) => {
  expect(parseSharedCall(text)).toEqual(wanted)
})

it.each(['', 'Hello', '1234', 'Order 12345678901234', 'EST-1001'])('%j has no phone number', (text) => {
  expect(parseSharedCall(text)).toBeUndefined()
})

it('a title and a text are read together, the same words once', () => {
  expect(parseSharedCall('Ann Lee', '(512) 555-0142', null)).toEqual({
    phone: '(512) 555-0142',
    name: 'Ann Lee',
    notes: '',
  })
  expect(parseSharedCall('512 555 0142', '512 555 0142')).toEqual({ phone: '512 555 0142', name: '', notes: '' })
})
