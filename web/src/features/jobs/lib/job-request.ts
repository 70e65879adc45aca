// Request bodies of the job forms: empty fields omitted, emptied ones null.
import { toInstant } from '@/lib/format/zone-time'
import { parseMoney } from '@/lib/parse-money'
import type { AddJobValues, EditJobValues } from '../schema'
import type { JobChange, NewJob } from '../types'

/** Without empty fields: the lead or the settings supply them. */
function omitEmpty<T extends Record<string, string>>(texts: T): Partial<T> {
  return Object.fromEntries(Object.entries(texts).filter(([, value]) => value !== '')) as Partial<T>
}

/** A job to add, its time read on the business's clock. */
export function toNewJob(values: AddJobValues, timeZone: string): NewJob {
  const { who, leadId, name, phone, email, service, description, address, zip, day, time, crewId, priority, value } =
    values
  const dollars = parseMoney(value)
  return {
    ...(who === 'lead' ? { leadId } : { customer: { name, ...omitEmpty({ phone, email, address, zip }) } }),
    ...omitEmpty({ service, description, address, zip, crewId }),
    ...(day === '' ? {} : { startsAt: toInstant(timeZone, day, time).toISOString() }),
    ...(dollars === undefined ? {} : { value: dollars }),
    priority,
  }
}

const orNull = (text: string) => (text === '' ? null : text)

/** Fields changed in the form; concurrent changes by others are kept. */
export function toJobChange(values: EditJobValues, initialValues: EditJobValues, version: number): JobChange {
  const { description, address, zip, value, specialInstructions, weatherConcerns, ...rest } = values
  const all = {
    ...rest,
    description: orNull(description),
    address: orNull(address),
    zip: orNull(zip),
    value: parseMoney(value) ?? null,
    specialInstructions: orNull(specialInstructions),
    weatherConcerns: orNull(weatherConcerns),
  }
  const isChanged = (field: string) =>
    JSON.stringify(values[field as keyof EditJobValues]) !== JSON.stringify(initialValues[field as keyof EditJobValues])
  return { version, ...Object.fromEntries(Object.entries(all).filter(([field]) => isChanged(field))) }
}
