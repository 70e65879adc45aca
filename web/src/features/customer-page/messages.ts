// What customers read on the pages of a business.
import { formatPhone } from '@/lib/format/phone'

/** Where the answer goes: only to what was typed. */
function answerPlaces({ phone, email }: { phone: string; email: string }): string {
  if (!phone) return `We'll email you at ${email}.`
  return `We'll call or text you at ${formatPhone(phone)}${email ? `, or email you at ${email}` : ''}.`
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
