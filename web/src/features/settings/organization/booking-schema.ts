// What the form for booking accepts. The server looks at everything once more.
import * as z from 'zod/mini'
import { settingsMessages as texts } from '../messages'

export const BOOKING_LIMITS = {
  noticeHours: [0, 336],
  daysAhead: [1, 90],
  bufferMinutes: [0, 240],
  dailyCap: [0, 50],
  unprovenPerNetwork: [0, 100],
  unprovenPerDay: [0, 500],
  durationMinutes: [15, 1440],
  services: 20,
  zips: 300,
} as const

export const ZIPS = 'Write ZIP codes of five digits, or their first three or four'
const SERVICES = `One a line with its minutes, like “Drain cleaning, 60”; at most ${BOOKING_LIMITS.services}`

/** `78701, 787` as areas, each once and in their order; undefined for what are none. */
export function readZips(typed: string): string[] | undefined {
  const parts = typed.split(/[\s,;]+/).filter((part) => part !== '')
  return parts.length <= BOOKING_LIMITS.zips && parts.every((part) => /^\d{3,5}$/.test(part))
    ? [...new Set(parts)].toSorted()
    : undefined
}

/** Lines of `Drain cleaning, 60` as minutes by service; undefined for what are none. */
export function readServices(typed: string): Record<string, number> | undefined {
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

const whole = (
  name:
    | 'noticeHours'
    | 'daysAhead'
    | 'bufferMinutes'
    | 'dailyCap'
    | 'unprovenPerNetwork'
    | 'unprovenPerDay'
    | 'durationMinutes',
) => {
  const [least, most] = BOOKING_LIMITS[name]
  const said = texts.number(least, most)
  return z.number(said).check(z.refine(Number.isInteger, said), z.minimum(least, said), z.maximum(most, said))
}

export const bookingSchema = z.object({
  isOn: z.boolean(),
  noticeHours: whole('noticeHours'),
  daysAhead: whole('daysAhead'),
  bufferMinutes: whole('bufferMinutes'),
  dailyCap: whole('dailyCap'),
  unprovenPerNetwork: whole('unprovenPerNetwork'),
  unprovenPerDay: whole('unprovenPerDay'),
  durationMinutes: whole('durationMinutes'),
  gridMinutes: z.string(),
  arrivalMinutes: z.string(),
  durations: z.string().check(z.refine((typed) => readServices(typed) !== undefined, SERVICES)),
  zips: z.string().check(z.refine((typed) => readZips(typed) !== undefined, ZIPS)),
})
export type BookingValues = z.infer<typeof bookingSchema>
