import * as z from 'zod/mini'
import { t } from '@/lib/i18n'
import { settingsMessages as texts } from '../messages'

export const BOOKING_LIMITS = {
  noticeHours: [0, 336],
  daysAhead: [1, 90],
  bufferMinutes: [0, 240],
  dailyCap: [0, 50],
  unprovenPerNetwork: [0, 100],
  unprovenPerDay: [0, 500],
  emailOnlyPercent: [0, 100],
  durationMinutes: [15, 1440],
  services: 20,
  zips: 300,
} as const

export const ZIPS_ERROR = t('Write ZIP codes of five digits, or their first three or four')
const SERVICES_ERROR = t('One a line with its minutes, like “Drain cleaning, 60”; at most {most}', {
  most: BOOKING_LIMITS.services,
})

/** `78701, 787` as areas, each once and in their order; undefined for what are none. */
export function parseZips(typed: string): string[] | undefined {
  const parts = typed.split(/[\s,;]+/).filter((part) => part !== '')
  return parts.length <= BOOKING_LIMITS.zips && parts.every((part) => /^\d{3,5}$/.test(part))
    ? [...new Set(parts)].toSorted()
    : undefined
}

/** Lines of `Drain cleaning, 60` as minutes by service; undefined for what are none. */
export function parseServices(typed: string): Record<string, number> | undefined {
  const [least, most] = BOOKING_LIMITS.durationMinutes
  const found = new Map<string, number>()
  for (const line of typed
    .split('\n')
    .map((part) => part.trim())
    .filter((part) => part !== '')) {
    const [, name, minutes] = /^(.{1,60}?)\s*[,:]\s*(\d{1,4})(?:\s*min(?:utes)?)?$/.exec(line) ?? []
    if (name === undefined || Number(minutes) < least || Number(minutes) > most) return undefined
    found.set(name, Number(minutes))
  }
  return found.size <= BOOKING_LIMITS.services ? Object.fromEntries(found) : undefined
}

const wholeNumber = (
  name:
    | 'noticeHours'
    | 'daysAhead'
    | 'bufferMinutes'
    | 'dailyCap'
    | 'unprovenPerNetwork'
    | 'unprovenPerDay'
    | 'emailOnlyPercent'
    | 'durationMinutes',
) => {
  const [least, most] = BOOKING_LIMITS[name]
  const message = texts.number(least, most)
  return z
    .number(message)
    .check(z.refine(Number.isInteger, message), z.minimum(least, message), z.maximum(most, message))
}

export const bookingSchema = z.object({
  isOn: z.boolean(),
  depositFirst: z.boolean(),
  noticeHours: wholeNumber('noticeHours'),
  daysAhead: wholeNumber('daysAhead'),
  bufferMinutes: wholeNumber('bufferMinutes'),
  dailyCap: wholeNumber('dailyCap'),
  unprovenPerNetwork: wholeNumber('unprovenPerNetwork'),
  unprovenPerDay: wholeNumber('unprovenPerDay'),
  emailOnlyPercent: wholeNumber('emailOnlyPercent'),
  durationMinutes: wholeNumber('durationMinutes'),
  gridMinutes: z.string(),
  arrivalMinutes: z.string(),
  durations: z.string().check(z.refine((typed) => parseServices(typed) !== undefined, SERVICES_ERROR)),
  zips: z.string().check(z.refine((typed) => parseZips(typed) !== undefined, ZIPS_ERROR)),
})
export type BookingValues = z.infer<typeof bookingSchema>
