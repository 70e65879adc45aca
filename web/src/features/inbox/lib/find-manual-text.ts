// Unsent text to send from the own phone.
import type { ConversationItem, ConversationPage, Message, MessageItem } from '../types'

const FAILED = new Set<Message['status']>(['failed', 'not_sent'])
const WAITING = new Set<Message['status']>(['queued', 'held'])

/** The newest unsent text, unless a later one was sent or the customer cannot be texted. */
export function findManualText({ items, customer, canText }: ConversationPage): Message | undefined {
  if (!customer.phone || customer.smsOptOut || customer.noSmsSince) return undefined
  const texts = items.flatMap((item) =>
    item.type === 'message' && item.message.channel === 'sms' && item.message.direction === 'out' ? [item.message] : [],
  )
  // The reminder waits in any case, for hours; what it reminds of is the text that is missing.
  const last = texts.findLast(({ kind, status }) => kind !== 'nudge' || !WAITING.has(status))
  // Not for outdated texts or opt-outs: only for texts that the channel itself prevented.
  if (!last?.byHand) return undefined
  // What waits where no text can leave will not leave either.
  return FAILED.has(last.status) || (WAITING.has(last.status) && !canText.ok) ? last : undefined
}

/** When the words of an unsent text were noted as sent from a member's own phone since. */
export function findOwnPhoneTime({ message, at }: MessageItem, items: readonly ConversationItem[]): string | null {
  if (!message.byHand) return null
  const noted = items.find(
    (other) =>
      other.type === 'message' &&
      other.message.kind === 'manual' &&
      other.message.status === 'sent' &&
      other.message.body === message.body &&
      other.message.id !== message.id &&
      Date.parse(other.at) >= Date.parse(at),
  )
  return noted?.at ?? null
}
