// Delivery result from the headers of the PDF response.
import { t } from '@/lib/i18n'
import { type UnsentChannel, formatUnsentChannels, formatHeldChannels, formatChannels } from './channel-text'

/** Said where there is nowhere to send it to. */
const NO_ADDRESS_REASON = /^no .+ is known$/

const splitHeader = (header: string | null, separator: string) =>
  (header ?? '')
    .split(separator)
    .map((part) => part.trim())
    .filter((part) => part !== '')

const joinSentences = (...sentences: string[]) => sentences.filter(Boolean).join(' ')

/** A reason as it was before it was percent-encoded for the header. */
function decodeReason(reason: string): string {
  try {
    return decodeURIComponent(reason)
  } catch {
    return reason
  }
}

/** `sms: SMS is not set up; email: …`. In a reason `;` is encoded as `%3B`. */
function parseUnsentChannels(header: string | null): UnsentChannel[] {
  return splitHeader(header, ';').map((part) => {
    const [channel = '', ...reason] = part.split(':')
    return { channel: channel.trim(), reason: decodeReason(reason.join(':').trim()) }
  })
}

/** `Text held until 8:00 AM.` Empty where all leaves now. */
export const describeHeldChannels = (headers: Headers): string =>
  formatHeldChannels(
    parseUnsentChannels(headers.get('X-Waiting')).map(({ channel, reason }) => ({
      channel,
      outlook: { state: 'held', text: reason },
    })),
  )

/** What became of a version that was not downloaded: `EST-1001-2 goes out by email. Text held until 8:00 AM.` */
export function describeVersionDelivery(number: string, headers: Headers): string {
  const channels = formatChannels(splitHeader(headers.get('X-Sent'), ','))
  const heldText = describeHeldChannels(headers)
  const unsent = heldText === '' ? t('{number} was not sent.', { number }) : t('{number} waits to be sent.', { number })
  return joinSentences(
    channels === '' ? unsent : t('{number} goes out by {channels}.', { number, channels }),
    heldText,
    formatUnsentChannels(parseUnsentChannels(headers.get('X-Not-Sent'))),
  )
}

/** What became of an estimate, as the headers beside its PDF say it. */
export function describeDelivery(headers: Headers, hasContact: boolean): string {
  const channels = formatChannels(splitHeader(headers.get('X-Sent'), ','))
  const missed = parseUnsentChannels(headers.get('X-Not-Sent'))
  const heldText = describeHeldChannels(headers)
  const worthSaying = formatUnsentChannels(missed.filter(({ reason }) => !NO_ADDRESS_REASON.test(reason)))
  if (channels !== '')
    return joinSentences(t('Downloaded, and sent by {channels}.', { channels }), heldText, worthSaying)
  if (heldText !== '') return joinSentences(t('Downloaded.'), heldText, worthSaying)
  if (!hasContact || (missed.length > 0 && worthSaying === '')) return t('Downloaded; no contact to send to.')
  return joinSentences(t('Downloaded; not sent.'), worthSaying)
}
