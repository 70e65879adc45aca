// What customers read on the pages of a business.
import { formatPhone } from '@/lib/format/phone'

type AnswerPlaces = {
  phone: string
  email: string
  /** Whether the business has a number to text from. */
  hasSender: boolean
}

/** Where the answer goes: only to what was typed, and by text only where texts can leave. */
function answerPlaces({ phone, email, hasSender }: AnswerPlaces): string {
  if (!phone) return `We'll email you at ${email}.`
  const byPhone = hasSender ? 'call or text' : 'call'
  return `We'll ${byPhone} you at ${formatPhone(phone)}${email ? `, or email you at ${email}` : ''}.`
}

export const customerPageMessages = {
  received: 'We have your request',
  answeredBy: (orgName: string | undefined, readingTime: string | null | undefined) =>
    readingTime ?? `${orgName ?? 'We'} will answer you.`,
  answerPlaces,
  emergency: "Is it an emergency? Don't wait for our answer. Call us now.",
  call: (phone: string) => `Call ${formatPhone(phone)}`,
  freeTimes: {
    title: 'Want to pick a time now?',
    action: 'See free times',
    other: 'Other times',
    address: 'Where should we come?',
    none: 'Nothing is free right now. We will find a time when we answer you.',
  },
  again: 'Send another request',
} as const
