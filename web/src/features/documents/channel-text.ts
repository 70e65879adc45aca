// Delivery channels as text: sent, held, unsent.
import { isSendingNow as leavesNow, type DeliveryOutlook } from '@/domain/delivery-outlook'
import { t } from '@/lib/i18n'

/** Of each way and of both; by no way there is nothing to say. */
const nameChannels = (byEmail: boolean, byText: boolean): string => {
  if (byEmail) return byText ? t('email and text') : t('email')
  return byText ? t('text') : ''
}

/** What the server says of a message that was just queued. Only what leaves is called sent. */
type SentChannel = { channel: string; outlook?: DeliveryOutlook }

export type UnsentChannel = { channel: string; reason: string }

/** `email`, `text`, `email and text`; empty for none. */
export const formatChannels = (channels: readonly string[]): string =>
  nameChannels(channels.includes('email'), channels.includes('sms'))

const isLeavingNow = ({ outlook }: SentChannel) => leavesNow(outlook)

/** The ways by which something leaves now. */
export const formatSentChannels = (sent: readonly SentChannel[]): string =>
  formatChannels(sent.filter(isLeavingNow).map(({ channel }) => channel))

/** `Text held until 8:00 AM: it is night there.` */
export function formatHeldChannels(sent: readonly SentChannel[]): string {
  return sent
    .filter((one) => !isLeavingNow(one))
    .map(({ channel, outlook }) => describeHeld(channel, outlook?.text ?? ''))
    .join(' ')
}

function describeHeld(channel: string, state: string): string {
  if (channel === 'email') return t('Email {state}.', { state })
  return channel === 'sms' ? t('Text {state}.', { state }) : t('Message {state}.', { state })
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
  return missed.map(describeUnsent).join(' ')
}

function describeUnsent({ channel, reason }: UnsentChannel): string {
  if (channel === 'email') return t('No email: {reason}.', { reason })
  return channel === 'sms' ? t('No text: {reason}.', { reason }) : t('No message: {reason}.', { reason })
}
