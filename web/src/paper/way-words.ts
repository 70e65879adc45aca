// By which ways a paper went out, and why not by the others, in words.
import { capitalize } from '@/lib/format/words'

const WORDS: Readonly<Record<string, string>> = { email: 'email', sms: 'text' }
/** Said where there is nowhere to send it to. */
const NO_ADDRESS = /^no .+ is known$/

/** What the server says of a message that was just queued. Only what leaves is called sent. */
type Sent = { channel: string; outlook?: { state: string; text: string } | null }

type Missed = { channel: string; reason: string }

/** `email`, `text`, `email and text`; empty for none. */
export function wayWords(channels: readonly string[]): string {
  return ['email', 'sms'].filter((channel) => channels.includes(channel)).map((channel) => WORDS[channel]).join(' and ')
}

const leaves = ({ outlook }: Sent) => !outlook || outlook.state === 'leaves'

/** The ways by which something leaves now. */
export const leftWays = (sent: readonly Sent[]): string => wayWords(sent.filter(leaves).map(({ channel }) => channel))

/** `Text held until 8:00 AM: it is night there.` */
export function waitingWords(sent: readonly Sent[]): string {
  return sent.filter((one) => !leaves(one)).map(({ channel, outlook }) => `${capitalize(WORDS[channel] ?? 'message')} ${outlook?.text ?? 'waits'}.`).join(' ')
}

/** What became of a paper, for its toast: by which ways it left, and all that is to be said of the others. */
export function sendingWords({ sent, notSent }: { sent: readonly Sent[]; notSent: readonly Missed[] }): { ways: string; rest: string; waits: boolean } {
  const waiting = waitingWords(sent)
  return { ways: leftWays(sent), rest: [waiting, missedWords(notSent)].filter(Boolean).join(' '), waits: waiting !== '' }
}

/** `No text: SMS is not set up.` */
export function missedWords(missed: readonly Missed[]): string {
  return missed.map(({ channel, reason }) => `No ${WORDS[channel] ?? 'message'}: ${reason}.`).join(' ')
}

const listOf = (header: string | null, separator: string) => (header ?? '').split(separator).map((part) => part.trim()).filter((part) => part !== '')

/** `sms: SMS is not set up; email: …` */
function missedIn(header: string | null): Missed[] {
  return listOf(header, ';').map((part) => {
    const [channel = '', ...reason] = part.split(':')
    return { channel: channel.trim(), reason: reason.join(':').trim() }
  })
}

/** What became of an estimate, as the headers beside its PDF say it. */
export function deliveryWords(headers: Headers, hasContact: boolean): string {
  const ways = wayWords(listOf(headers.get('X-Sent'), ','))
  const missed = missedIn(headers.get('X-Not-Sent'))
  const waiting = waitingWords(missedIn(headers.get('X-Waiting')).map(({ channel, reason }) => ({ channel, outlook: { state: 'held', text: reason } })))
  const worthSaying = missedWords(missed.filter(({ reason }) => !NO_ADDRESS.test(reason)))
  if (ways !== '') return [`Downloaded, and sent by ${ways}.`, waiting, worthSaying].filter(Boolean).join(' ')
  if (waiting !== '') return ['Downloaded.', waiting, worthSaying].filter(Boolean).join(' ')
  if (!hasContact || (missed.length > 0 && worthSaying === '')) return 'Downloaded; no contact to send to.'
  return `Downloaded; not sent. ${worthSaying}`.trim()
}
