// By which ways a paper went out, and why not by the others, in words.

const WORDS: Readonly<Record<string, string>> = { email: 'email', sms: 'text' }
/** Said where there is nowhere to send it to. */
const NO_ADDRESS = /^no .+ is known$/

type Missed = { channel: string; reason: string }

/** `email`, `text`, `email and text`; empty for none. */
export function wayWords(channels: readonly string[]): string {
  return ['email', 'sms'].filter((channel) => channels.includes(channel)).map((channel) => WORDS[channel]).join(' and ')
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
  const worthSaying = missedWords(missed.filter(({ reason }) => !NO_ADDRESS.test(reason)))
  if (ways !== '') return ['Downloaded, and sent by ', ways, '. ', worthSaying].join('').trim()
  if (!hasContact || (missed.length > 0 && worthSaying === '')) return 'Downloaded; no contact to send to.'
  return `Downloaded; not sent. ${worthSaying}`.trim()
}
