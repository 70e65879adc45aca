import { expect, it } from 'vitest'
import { CARRIERS, dialHref, getForwardingCodes, isTollFree } from './forwarding-codes'

it.each([
  ['verizon', ['*715125550100'], ['*73']],
  ['att', ['**004*15125550100#'], ['##004#']],
  ['t_mobile', ['**004*15125550100#'], ['##004#']],
  ['landline', ['*925125550100', '*905125550100'], ['*93', '*91']],
  ['other', ['**004*15125550100#'], ['##004#']],
] as const)('codes of %s hold the number, with those that turn it off', (carrier, on, off) => {
  const codes = getForwardingCodes(carrier, '+15125550100')
  expect(codes.on.map(({ code }) => code)).toEqual(on)
  expect(codes.off.map(({ code }) => code)).toEqual(off)
})

it('every carrier has a code, and a link that a phone dials whole', () => {
  for (const { value } of CARRIERS) {
    for (const { code } of getForwardingCodes(value, '+15125550100').on) expect(dialHref(code)).not.toContain('#')
  }
  expect(isTollFree('+18335550100')).toBe(true)
  expect(isTollFree('+15125550100')).toBe(false)
})
