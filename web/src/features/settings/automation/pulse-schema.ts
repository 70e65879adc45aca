// Form schema of the figures report.
import * as z from 'zod/mini'
import { t } from '@/lib/i18n'
import { settingsMessages as texts } from '../messages'
import type { PulseSettings } from '../types'

const WEEKDAY_NAMES = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const

export const PULSE_WEEKDAYS = [
  { value: 'mon', label: t('Monday') },
  { value: 'tue', label: t('Tuesday') },
  { value: 'wed', label: t('Wednesday') },
  { value: 'thu', label: t('Thursday') },
  { value: 'fri', label: t('Friday') },
  { value: 'sat', label: t('Saturday') },
  { value: 'sun', label: t('Sunday') },
] as const satisfies readonly { value: (typeof WEEKDAY_NAMES)[number]; label: string }[]

export const pulseSchema = z.object({
  frequency: z.enum(['daily', 'weekly']),
  time: z.string().check(z.regex(/^\d\d:\d\d$/, texts.time)),
  weekday: z.enum(WEEKDAY_NAMES),
  byEmail: z.boolean(),
  byText: z.boolean(),
  quietDays: z.array(z.enum(WEEKDAY_NAMES)),
  /** Empty: no quiet is planned. */
  quietUntil: z.string(),
  language: z.enum(['en', 'es']),
})
export type PulseValues = z.infer<typeof pulseSchema>

export const toPulseValues = (saved: PulseSettings): PulseValues => ({ ...saved, quietUntil: saved.quietUntil ?? '' })

/** Changed fields only; an emptied day ends the pause. */
export function toPulsePatch({ quietUntil, ...changed }: Partial<PulseValues>): Partial<PulseSettings> {
  return quietUntil === undefined ? changed : { ...changed, quietUntil: quietUntil === '' ? null : quietUntil }
}
