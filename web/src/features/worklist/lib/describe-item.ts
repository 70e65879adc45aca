// An item in plain words.
import { describeWait } from '@/features/inbox/lib/describe-wait'
import { formatDurationShort } from '@/features/leads/lib/response-promise'
import type { Tone } from '@/domain/tone'
import { formatPhone } from '@/lib/format/phone'
import { formatDayTimeInSentence } from '@/lib/format/zone-time'
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
  return age < JUST_NOW_MS ? 'just now' : `${describeWait(age).text} ago`
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

/** `Answer by today 2:15 PM`; `Promised by today 2:15 PM, 20 min late` */
export function describePromise(
  { answerBy, isLate }: Pick<WorkItem, 'answerBy' | 'isLate'>,
  now: number,
  zone: string,
) {
  if (!answerBy) return undefined
  const by = formatDayTimeInSentence(answerBy, zone, now).replace(/^today /, '')
  const late = now - Date.parse(answerBy)
  return isLate || late > 0
    ? { isLate: true, words: `Promised by ${by}, ${formatDurationShort(Math.max(0, late))} late` }
    : { isLate: false, words: `Answer by ${by}` }
}
