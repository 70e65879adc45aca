// State of a response promise: on time, due soon, late.
import type { LeadSummary } from '@/domain/lead'
import { formatTime, formatWeekday } from '@/lib/format/date'
import { t } from '@/lib/i18n'

export type ResponsePromise = NonNullable<LeadSummary['promise']>

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
/** Within these a day of the week says which day is meant. */
const THIS_WEEK = 6 * DAY

const PROMISE_DISPLAYS = {
  calm: { tone: 'neutral', icon: 'clock' },
  soon: { tone: 'warning', icon: 'bell' },
  late: { tone: 'error', icon: 'alert' },
} as const

/**
 * The promise for which a customer waits; none once a person answered, or if none is owed. After the work is done it is
 * owed only to a customer who called or texted and waits.
 */
export function getOpenPromise({ promise, heldReason, stage, waitingSince }: LeadSummary): ResponsePromise | undefined {
  if (heldReason || ((stage === 'Done' || stage === 'Paid') && !waitingSince)) return undefined
  return promise && !promise.answeredAt && (promise.state === 'open' || promise.state === 'broken')
    ? promise
    : undefined
}

export const isAwaitingResponse = (lead: LeadSummary) => getOpenPromise(lead) !== undefined

/** `4 min`, `23 h`, `3 d` */
export function formatDurationShort(ms: number): string {
  if (ms < HOUR) return `${Math.max(1, Math.floor(ms / MINUTE))} min`
  return ms < 2 * DAY ? `${Math.floor(ms / HOUR)} h` : `${Math.floor(ms / DAY)} d`
}

/** `4:00 PM` today; `Sat 4:00 PM`, with the date where it is not this week. */
export function formatDueTime(dueAt: string, now: number, timeZone: string): string {
  const day = formatWeekday(dueAt, timeZone)
  if (day === formatWeekday(now, timeZone)) return formatTime(dueAt, timeZone)
  const isNear = Math.abs(Date.parse(dueAt) - now) < THIS_WEEK
  return `${isNear ? (day.split(',')[0] ?? day) : day} ${formatTime(dueAt, timeZone)}`
}

/** `4:00 PM today`; other days as `formatDueTime`. */
function formatDueDayTime(dueAt: string, now: number, timeZone: string): string {
  const time = formatDueTime(dueAt, now, timeZone)
  return formatWeekday(dueAt, timeZone) === formatWeekday(now, timeZone) ? t('{time} today', { time }) : time
}

/** `Answer by 4:00 PM today, 6 h left`; `Promised by Sat 4:00 PM, 9 h late`. The due instant itself is in time. */
export function describeResponsePromise({ dueAt, warnAt }: ResponsePromise, now: number, timeZone: string) {
  const remainingMs = Date.parse(dueAt) - now
  const due = formatDueDayTime(dueAt, now, timeZone)
  if (remainingMs < 0)
    return {
      ...PROMISE_DISPLAYS.late,
      isLate: true,
      words: t('Promised by {due}, {duration} late', { due, duration: formatDurationShort(-remainingMs) }),
    }
  return {
    ...(now < Date.parse(warnAt) ? PROMISE_DISPLAYS.calm : PROMISE_DISPLAYS.soon),
    isLate: false,
    words: t('Answer by {due}, {duration} left', { due, duration: formatDurationShort(remainingMs) }),
  }
}
