// How something was done, read from what was noted with it: by which way, how much, why.
import { formatMoney } from '@/lib/format/money'
import { capitalize, formatWords } from '@/lib/format/words'
import type { WorkEvent } from '../queries'
import { wayWords } from './way-words'

type Detail = WorkEvent['detail']

const text = (value: unknown) => (typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined)
const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

function amountOf({ amount, total }: Detail): string | undefined {
  const dollars = amount ?? total
  return typeof dollars === 'number' ? formatMoney(dollars) : undefined
}

/** Why it did not go by a way that was wanted. */
function missed(detail: Detail): string[] {
  return list(detail['notSent']).flatMap((one) => {
    const { channel, reason } = one as { channel?: unknown; reason?: unknown }
    const way = wayWords([text(channel) ?? ''])
    return text(reason) ? [`no ${way || 'message'}: ${text(reason) ?? ''}`] : []
  })
}

function delivered(detail: Detail): string | undefined {
  const ways = wayWords(list(detail['channels']).map(String))
  return ways === '' ? undefined : `by ${ways}`
}

/** Empty where there is nothing more to say. */
export function eventWords({ kind, detail }: Pick<WorkEvent, 'kind' | 'detail'>): string {
  // A rule's cause says nothing that the event beside it does not.
  const reason = text(detail['reason']) ?? text(detail['question'])
  const method = text(detail['method'])
  const facts = kind === 'stage_changed' ? [] : [
    text(detail['number']), amountOf(detail), method && method !== 'none' && formatWords(method).toLowerCase(), text(detail['reference']), delivered(detail), ...missed(detail),
  ]
  const parts = [...facts, reason].filter((part): part is string => typeof part === 'string')
  return capitalize(parts.join(', '))
}
