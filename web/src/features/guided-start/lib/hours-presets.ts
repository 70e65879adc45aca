// Usual hours of a trade, each one tap.
import type { OpenSpan, Week, Weekday } from '@/features/settings/types'
import { t } from '@/lib/i18n'

export type HoursPreset = { label: string; week: Week }

const DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const satisfies readonly Weekday[]

/** The same hours on the first so many days of the week. */
function buildWeek(days: number, span: OpenSpan): Week {
  return Object.fromEntries(DAYS.map((day, at) => [day, at < days ? [span] : []])) as Week
}

export const HOURS_PRESETS: readonly HoursPreset[] = [
  { label: t('Monday to Friday, 8 AM to 5 PM'), week: buildWeek(5, { opens: '08:00', closes: '17:00' }) },
  { label: t('Monday to Saturday, 8 AM to 6 PM'), week: buildWeek(6, { opens: '08:00', closes: '18:00' }) },
  { label: t('Every day, 7 AM to 7 PM'), week: buildWeek(7, { opens: '07:00', closes: '19:00' }) },
  { label: t('Day and night, every day'), week: buildWeek(7, { opens: '00:00', closes: '00:00' }) },
]

const spell = (spans: readonly OpenSpan[]) => spans.map(({ opens, closes }) => `${opens}-${closes}`).join()

/** The preset that is in force; undefined for other hours. */
export function findHoursPreset(week: Week): HoursPreset | undefined {
  return HOURS_PRESETS.find((preset) => DAYS.every((day) => spell(preset.week[day]) === spell(week[day])))
}
