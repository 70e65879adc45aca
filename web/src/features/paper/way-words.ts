// By which ways a paper went out, and why not by the others, in words.
import { leaves as leavesNow, type Outlook } from '@/domain/outlook'
import { capitalize } from '@/lib/format/words'

const WORDS: Readonly<Record<string, string>> = { email: 'email', sms: 'text' }

/** What the server says of a message that was just queued. Only what leaves is called sent. */
type Sent = { channel: string; outlook?: Outlook }

export type Missed = { channel: string; reason: string }

/** `email`, `text`, `email and text`; empty for none. */
export function wayWords(channels: readonly string[]): string {
  return ['email', 'sms']
    .filter((channel) => channels.includes(channel))
    .map((channel) => WORDS[channel])
    .join(' and ')
}

const leaves = ({ outlook }: Sent) => leavesNow(outlook)

/** The ways by which something leaves now. */
export const leftWays = (sent: readonly Sent[]): string => wayWords(sent.filter(leaves).map(({ channel }) => channel))

/** `Text held until 8:00 AM: it is night there.` */
export function waitingWords(sent: readonly Sent[]): string {
  return sent
    .filter((one) => !leaves(one))
    .map(({ channel, outlook }) => `${capitalize(WORDS[channel] ?? 'message')} ${outlook?.text ?? 'waits'}.`)
    .join(' ')
}

/** What became of a paper, for its toast: by which ways it left, and all that is to be said of the others. */
export function sendingWords({ sent, notSent }: { sent: readonly Sent[]; notSent: readonly Missed[] }): {
  ways: string
  rest: string
  waits: boolean
} {
  const waiting = waitingWords(sent)
  return {
    ways: leftWays(sent),
    rest: [waiting, missedWords(notSent)].filter(Boolean).join(' '),
    waits: waiting !== '',
  }
}

/** `No text: SMS is not set up.` */
export function missedWords(missed: readonly Missed[]): string {
  return missed.map(({ channel, reason }) => `No ${WORDS[channel] ?? 'message'}: ${reason}.`).join(' ')
}
