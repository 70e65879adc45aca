// What became of an estimate, as the headers beside its PDF say it, in words.
import { type Missed, missedWords, waitingWords, wayWords } from './way-words'

/** Said where there is nowhere to send it to. */
const NO_ADDRESS = /^no .+ is known$/

const listOf = (header: string | null, separator: string) =>
  (header ?? '')
    .split(separator)
    .map((part) => part.trim())
    .filter((part) => part !== '')

/** A reason as it was before it was percent-encoded for the header. */
function decoded(reason: string): string {
  try {
    return decodeURIComponent(reason)
  } catch {
    return reason
  }
}

/** `sms: SMS is not set up; email: …`. In a reason `;` stands as `%3B`. */
function missedIn(header: string | null): Missed[] {
  return listOf(header, ';').map((part) => {
    const [channel = '', ...reason] = part.split(':')
    return { channel: channel.trim(), reason: decoded(reason.join(':').trim()) }
  })
}

/** `Text held until 8:00 AM.` Empty where all leaves now. */
export const waitingIn = (headers: Headers): string =>
  waitingWords(
    missedIn(headers.get('X-Waiting')).map(({ channel, reason }) => ({
      channel,
      outlook: { state: 'held', text: reason },
    })),
  )

/** What became of a version that was not downloaded: `EST-1001-2 goes out by email. Text held until 8:00 AM.` */
export function versionWords(number: string, headers: Headers): string {
  const ways = wayWords(listOf(headers.get('X-Sent'), ','))
  const waiting = waitingIn(headers)
  const unsent = waiting === '' ? `${number} was not sent.` : `${number} waits to be sent.`
  return [
    ways === '' ? unsent : `${number} goes out by ${ways}.`,
    waiting,
    missedWords(missedIn(headers.get('X-Not-Sent'))),
  ]
    .filter(Boolean)
    .join(' ')
}

/** What became of an estimate, as the headers beside its PDF say it. */
export function deliveryWords(headers: Headers, hasContact: boolean): string {
  const ways = wayWords(listOf(headers.get('X-Sent'), ','))
  const missed = missedIn(headers.get('X-Not-Sent'))
  const waiting = waitingIn(headers)
  const worthSaying = missedWords(missed.filter(({ reason }) => !NO_ADDRESS.test(reason)))
  if (ways !== '') return [`Downloaded, and sent by ${ways}.`, waiting, worthSaying].filter(Boolean).join(' ')
  if (waiting !== '') return ['Downloaded.', waiting, worthSaying].filter(Boolean).join(' ')
  if (!hasContact || (missed.length > 0 && worthSaying === '')) return 'Downloaded; no contact to send to.'
  return `Downloaded; not sent. ${worthSaying}`.trim()
}
