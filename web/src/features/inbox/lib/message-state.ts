// Message state as tone, icon and short text.
import { MESSAGE_STATUSES } from '@/domain/message'
import { capitalize } from '@/lib/format/identifier'
import { formatDayTimeInSentence } from '@/lib/format/zone-time'
import { describeBlock, type SendBlocks, UNKNOWN_BLOCKS } from '@/features/own-phone/send-blocks'
import { plural, t } from '@/lib/i18n'
import type { Message } from '../types'

/** What is due later than this is spoken of by its time. */
const NEAR_FUTURE_MS = 90_000
/** What is due sooner is as good as on its way. */
const IMMEDIATE_MS = 5000

/** What the server says of what waits while nothing is sent. */
const SENDING_STOPPED = 'sending is stopped right now'

/** `held: it is night there` without the state's own word. */
const extractReason = (statusText: string) => statusText.replace(/^[^:]*:?\s*/, '')

function describeAttempts(attempts: number, next: string | null): string {
  return next === null
    ? plural(attempts, 'tried {count} time', 'tried {count} times')
    : plural(attempts, 'tried {count} time, next {time}', 'tried {count} times, next {time}', { time: next })
}

function formatState(message: Message, timeZone: string, now: number, blocks: SendBlocks): string {
  const { status, heldUntil, nextAttemptAt, attempts, statusText } = message
  const present = describeBlock(message, blocks)
  if (present) return present
  if (status === 'held' && heldUntil)
    return [
      t('held until {time}', { time: formatDayTimeInSentence(heldUntil, timeZone, now) }),
      extractReason(statusText),
    ]
      .filter(Boolean)
      .join(': ')
  if (status !== 'queued') return statusText
  if (statusText.endsWith(SENDING_STOPPED)) return statusText
  const wait = nextAttemptAt ? Date.parse(nextAttemptAt) - now : 0
  const next = nextAttemptAt ? formatDayTimeInSentence(nextAttemptAt, timeZone, now) : null
  if (attempts > 0) return describeAttempts(attempts, next)
  if (next !== null && wait > NEAR_FUTURE_MS) return t('goes out {time}', { time: next })
  return wait > IMMEDIATE_MS ? t('goes out within a minute') : t('waiting to be sent')
}

/** Tone, icon and words of a message's state. */
export function describeMessageState(
  message: Message,
  timeZone: string,
  now: number,
  blocks: SendBlocks = UNKNOWN_BLOCKS,
) {
  return { ...MESSAGE_STATUSES[message.status], text: capitalize(formatState(message, timeZone, now, blocks)) }
}
