// How something was done, read from what was noted with it: by which way, how much, for when, why.
import { serviceLabel } from '@/domain/lead'
import { formatDateTime } from '@/lib/format/date'
import { formatMoney } from '@/lib/format/money'
import { capitalize, formatWords } from '@/lib/format/words'
import type { Schema } from '@/api/client'
import { wayWords } from './way-words'

type WorkEvent = Schema['WorkEvent']
type Detail = WorkEvent['detail']

const text = (value: unknown) => (typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined)
const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])
const dollars = (value: unknown) => (typeof value === 'number' && value > 0 ? formatMoney(value) : undefined)

/** A paper has its number as words, a job as a number. */
const numberOf = ({ number }: Detail) => (typeof number === 'number' ? `#${number}` : text(number))

function methodOf({ method }: Detail): string | undefined {
  const name = text(method)
  return name === undefined || name === 'none' ? undefined : formatWords(name).toLowerCase()
}

/** Why it did not go by a way that was wanted. */
function missedOf(detail: Detail): string[] {
  return list(detail['notSent']).flatMap((one) => {
    const { channel, reason } = one as { channel?: unknown; reason?: unknown }
    const [way, why] = [wayWords([text(channel) ?? '']), text(reason)]
    return why === undefined ? [] : [`no ${way === '' ? 'message' : way}: ${why}`]
  })
}

function waysOf(detail: Detail): string | undefined {
  const ways = wayWords(list(detail['channels']).flatMap((channel) => text(channel) ?? []))
  return ways === '' ? undefined : `by ${ways}`
}

/** A way by which it is on its way while another one has left already. */
function leavingOf(detail: Detail): string | undefined {
  const ways = wayWords(list(detail['leaving']).flatMap((channel) => text(channel) ?? []))
  return ways === '' ? undefined : `${ways} is being sent`
}

/** A way by which it has not been taken up: sending may be stopped. */
function waitingOf(detail: Detail): string | undefined {
  const ways = wayWords(list(detail['waiting']).flatMap((channel) => text(channel) ?? []))
  return ways === '' ? undefined : `${ways} waiting to be sent`
}

function writtenOffOf(detail: Detail): string | undefined {
  const amount = dollars(detail['writtenOff'])
  return amount === undefined ? undefined : `${amount} written off`
}

/** Empty where there is nothing more to say. */
export function eventWords({ kind, detail }: Pick<WorkEvent, 'kind' | 'detail'>, timeZone: string): string {
  const why = text(detail['reason']) ?? text(detail['question'])
  // The title names both stages; a rule's cause says nothing that the event beside it does not.
  if (kind === 'stage_changed') return capitalize(why ?? '')
  const [startsAt, service] = [text(detail['startsAt']), text(detail['service'])]
  const parts = [
    numberOf(detail),
    service && serviceLabel(service),
    dollars(detail['amount'] ?? detail['total']),
    methodOf(detail),
    writtenOffOf(detail),
    startsAt && formatDateTime(startsAt, timeZone),
    text(detail['crew']),
    text(detail['label']),
    waysOf(detail),
    leavingOf(detail),
    waitingOf(detail),
    ...missedOf(detail),
    why,
  ]
  return capitalize(parts.filter((part) => part !== undefined && part !== '').join(', '))
}
