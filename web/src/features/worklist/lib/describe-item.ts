// An item in plain words.
import { describeWait } from '@/features/inbox/lib/describe-wait'
import { formatDurationShort } from '@/features/leads/lib/response-promise'
import type { Tone } from '@/domain/tone'
import { formatTime } from '@/lib/format/date'
import { formatPhone } from '@/lib/format/phone'
import { formatDayTimeInSentence, getZoneDay } from '@/lib/format/zone-time'
import { t } from '@/lib/i18n'
import { worklistMessages as texts } from '../messages'
import type { WorkItem } from '../types'

/** Until then "just now" says enough. */
const JUST_NOW_MS = 60_000

export function getName({ customerName, phone }: Pick<WorkItem, 'customerName' | 'phone'>): string {
  return customerName || (phone ? formatPhone(phone) : texts.unknown)
}

/** `Asked by form`, `Estimate approved, not scheduled` */
function getReason({ kind, source }: Pick<WorkItem, 'kind' | 'source'>): string {
  return kind === 'answer' ? texts.asked[source] : texts.why[kind]
}

/** What is in the future, such as the visit that has no crew, is named by its time. */
function formatSince(since: string, now: number, timeZone: string): string {
  const age = now - Date.parse(since)
  if (age < -JUST_NOW_MS) return formatDayTimeInSentence(since, timeZone, now)
  return age < JUST_NOW_MS ? t('just now') : t('{time} ago', { time: describeWait(age).text })
}

type Waiting = Pick<WorkItem, 'kind' | 'source' | 'since'>

/** `Asked by form 12 min ago`; `Estimate approved, not scheduled, 2 d ago` */
export function describeReason(item: Waiting, now: number, timeZone: string): string {
  const since = formatSince(item.since, now, timeZone)
  return item.kind === 'answer' || item.kind === 'call_back'
    ? `${getReason(item)} ${since}`
    : `${getReason(item)}, ${since}`
}

/** How long they wait, in color and in words: `Waiting 12 min`. None for what is still to come. */
export function describeAge(since: string, now: number): { tone: Tone; words: string } | undefined {
  const age = now - Date.parse(since)
  if (age < -JUST_NOW_MS) return undefined
  const { text, tone } = describeWait(Math.max(0, age))
  const word = tone === 'success' || tone === 'warning' ? texts.ages[tone] : texts.ages.error
  return { tone, words: tone === 'success' ? word : `${word}, ${text}` }
}

/** Without the day where it is today. */
function formatDueTime(at: string, zone: string, now: number): string {
  const isToday = getZoneDay(zone, Date.parse(at)) === getZoneDay(zone, now)
  return isToday ? formatTime(at, zone) : formatDayTimeInSentence(at, zone, now)
}

/** `Answer by 2:15 PM`; `Promised by 2:15 PM, 20 min late` */
export function describePromise(
  { answerBy, isLate }: Pick<WorkItem, 'answerBy' | 'isLate'>,
  now: number,
  zone: string,
) {
  if (!answerBy) return undefined
  const by = formatDueTime(answerBy, zone, now)
  const late = now - Date.parse(answerBy)
  return isLate || late > 0
    ? {
        isLate: true,
        words: t('Promised by {time}, {late} late', { time: by, late: formatDurationShort(Math.max(0, late)) }),
      }
    : { isLate: false, words: t('Answer by {time}', { time: by }) }
}
