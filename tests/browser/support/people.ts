// Unique fictional people and businesses.
import { randomBytes } from 'node:crypto'

export type Customer = {
  name: string
  phone: string
  e164: string
  email: string
  zip: string
  service: string
  notes: string
}
export type Owner = { name: string; email: string; password: string; orgName: string }

/** Area codes for numbers of the reserved range 555-0100 to 555-0199. */
const AREAS = ['312', '512', '206', '303', '404', '503', '602', '713', '816', '919'] as const
const NAMES = [
  'Ana Diaz',
  'Ben Carter',
  'Chloe Novak',
  'Dev Patel',
  'Erin Walsh',
  'Frank Osei',
  'Grace Lindholm',
  'Hugo Marsh',
] as const

let count = 0

/** A customer with a number and an address that are unique in this run. */
export function buildCustomer(over: Partial<Customer> = {}): Customer {
  count += 1
  const area = AREAS[Math.floor(count / 100) % AREAS.length] ?? AREAS[0]
  const line = `01${String(count % 100).padStart(2, '0')}`
  const name = NAMES[count % NAMES.length] ?? NAMES[0]
  return {
    name,
    phone: `(${area}) 555-${line}`,
    e164: `+1${area}555${line}`,
    email: `${name.toLowerCase().replace(' ', '.')}.${count}@home.example`,
    zip: '60601',
    service: 'roofing',
    notes: 'Two shingles came off in the storm, and the attic is damp below them.',
    ...over,
  }
}

/** An owner whose business is new to the install. */
export function buildOwner(over: Partial<Owner> = {}): Owner {
  const mark = randomBytes(4).toString('hex')
  return {
    name: 'Robin Keller',
    email: `robin.${mark}@keller-roofing.example`,
    password: `ladder-${randomBytes(6).toString('hex')}`,
    orgName: `Keller Roofing ${mark}`,
    ...over,
  }
}
