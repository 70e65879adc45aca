// Delivery channels as text: sent, held, unsent.
import { isSendingNow as leavesNow, type DeliveryOutlook } from '@/domain/delivery-outlook'
import { capitalize } from '@/lib/format/identifier'

const CHANNEL_LABELS: Readonly<Record<string, string>> = { email: 'email', sms: 'text' }

/** What the server says of a message that was just queued. Only what leaves is called sent. */
type SentChannel = { channel: string; outlook?: DeliveryOutlook }

export type UnsentChannel = { channel: string; reason: string }

/** `email`, `text`, `email and text`; empty for none. */
export function formatChannels(channels: readonly string[]): string {
  return ['email', 'sms']
    .filter((channel) => channels.includes(channel))
    .map((channel) => CHANNEL_LABELS[channel])
    .join(' and ')
}

const isLeavingNow = ({ outlook }: SentChannel) => leavesNow(outlook)

/** The ways by which something leaves now. */
export const formatSentChannels = (sent: readonly SentChannel[]): string =>
  formatChannels(sent.filter(isLeavingNow).map(({ channel }) => channel))

/** `Text held until 8:00 AM: it is night there.` */
export function formatHeldChannels(sent: readonly SentChannel[]): string {
  return sent
    .filter((one) => !isLeavingNow(one))
    .map(({ channel, outlook }) => `${capitalize(CHANNEL_LABELS[channel] ?? 'message')} ${outlook?.text ?? 'waits'}.`)
    .join(' ')
}

/** Toast text of a sent document: the channels used, and the reasons for the others. */
export function describeSending({
  sent,
  notSent,
}: {
  sent: readonly SentChannel[]
  notSent: readonly UnsentChannel[]
}): {
  sent: string
  unsent: string
  isHeld: boolean
} {
  const heldText = formatHeldChannels(sent)
  return {
    sent: formatSentChannels(sent),
    unsent: [heldText, formatUnsentChannels(notSent)].filter(Boolean).join(' '),
    isHeld: heldText !== '',
  }
}

/** `No text: SMS is not set up.` */
export function formatUnsentChannels(missed: readonly UnsentChannel[]): string {
  return missed.map(({ channel, reason }) => `No ${CHANNEL_LABELS[channel] ?? 'message'}: ${reason}.`).join(' ')
}
