// What keeps messages of the business from leaving, as things are now. The status of a message says why it was stopped
// then.
import type { Schema } from '@/api/client'
import { t } from '@/lib/i18n'

type Message = Schema['Message']

/** Undefined parts are not known yet. */
export type SendBlocks = {
  /** Why no text leaves; null where texts leave. */ textsOff: string | null | undefined
  /** Address not confirmed, or not paid. */ isBlocked: boolean | undefined
}

export const UNKNOWN_BLOCKS: SendBlocks = { textsOff: undefined, isBlocked: undefined }

/** The server's words for a message that waits, and that a rule would stop. */
const WILL_NOT_BE_SENT = 'will not be sent'

/** Reasons of the business, as the server gives them, and what was so when the message was stopped. */
const BUSINESS_REASONS = [
  { reason: 'your email address is not confirmed yet', was: t('your email address was not confirmed') },
  {
    reason: 'nothing goes to others before your first payment',
    was: t('nothing went to others before your first payment'),
  },
  { reason: 'SMS is not set up', was: t('texts were not set up') },
  {
    reason: 'your business has no number to send texts from',
    was: t('your business had no number to send texts from'),
  },
  { reason: 'your number is not registered for texting yet', was: t('your number was not registered for texting') },
] as const

/** In place of what stopped a message once and no longer does; undefined where it may still, or is not known. */
function describePastReason({ status, retryable, channel, statusText }: Message, { textsOff, isBlocked }: SendBlocks) {
  if (status !== 'not_sent' || !retryable || isBlocked !== false) return undefined
  const past = BUSINESS_REASONS.find(({ reason }) => statusText.includes(reason))
  if (!past) return undefined
  if (channel !== 'sms' || textsOff === null)
    return t('not sent: {reason}. You can send it again now', { reason: past.was })
  return textsOff === undefined || statusText.includes(textsOff)
    ? undefined
    : t('not sent: {reason}', { reason: textsOff })
}

/** Words in place of the stored status, where that has become untrue: a text promised without a number, a past reason. */
export function describeBlock(message: Message, blocks: SendBlocks): string | undefined {
  const { status, channel, direction, statusText } = message
  if (statusText.startsWith(WILL_NOT_BE_SENT)) return statusText
  const waits = status === 'queued' || status === 'held'
  if (waits && channel === 'sms' && direction === 'out' && blocks.textsOff)
    return t('will not be sent: {reason}', { reason: blocks.textsOff })
  return describePastReason(message, blocks)
}
