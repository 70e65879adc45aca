// Lists narrowed to what a figure counts: read from the address that the figure gave, and said in words.
import { lazily } from '@/lib/format/lazily'

/** Days of the business's calendar, both among them. */
export type Days = { from: string; to: string }

const DAY = /^20\d\d-\d\d-\d\d$/

/** The days that an address asks for; none where they are no days. */
export function daysIn(params: URLSearchParams): Days | undefined {
  const [from, to] = [params.get('from') ?? '', params.get('to') ?? '']
  return DAY.test(from) && DAY.test(to) && from <= to ? { from, to } : undefined
}

const short = lazily(() => new Intl.DateTimeFormat('en-US', { month: 'short', day: 'numeric', timeZone: 'UTC' }))
const whole = lazily(
  () => new Intl.DateTimeFormat('en-US', { year: 'numeric', month: 'short', day: 'numeric', timeZone: 'UTC' }),
)

/** `Sep 11 – Sep 17`, one day by itself, and with the year where it is another. */
export function daysWords({ from, to }: Days, today = new Date()): string {
  const format = from.startsWith(`${today.getFullYear()}-`) && from.slice(0, 4) === to.slice(0, 4) ? short() : whole()
  return [...new Set([from, to])].map((day) => format.format(new Date(`${day}T12:00:00Z`))).join(' – ')
}

/** Which leads a figure counts, by the names and words of the address, in words. */
const WHAT = {
  answered: { auto: 'answered automatically', human: 'answered by a person', any: 'answered' },
  calls: { missed: 'missed calls', recovered: 'missed calls recovered' },
  by: { booked: 'booked', paid: 'paid', automation: 'helped by automation' },
  promise: { kept: 'answered as promised', broken: 'not answered as promised', owed: 'wait for a promised answer' },
  quotes: { sent: 'estimates sent', won: 'estimates won', lost: 'estimates lost' },
} as const

type What = { [Name in keyof typeof WHAT]?: keyof (typeof WHAT)[Name] }
/** Who waits for what was promised waits now, on no day in particular. */
export type LeadsBehind = Partial<Days> & What & { source?: string }

/** What every address of a narrowed list may hold. */
export const BEHIND = [
  'from',
  'to',
  'answered',
  'calls',
  'by',
  'promise',
  'quotes',
  'source',
  'done',
  'overdueFrom',
  'overdueTo',
  'kind',
] as const

function chosen<Words extends object>(name: string, words: Words, params: URLSearchParams) {
  const found = (Object.keys(words) as (keyof Words)[]).find((word) => word === params.get(name))
  return found === undefined ? {} : { [name]: found }
}

/** What the figure counts whose address this is; without days only who waits for a promised answer. */
export function leadsBehindIn(params: URLSearchParams): LeadsBehind | undefined {
  const [days, source] = [daysIn(params), params.get('source')]
  const what: What = Object.assign({}, ...Object.entries(WHAT).map(([name, words]) => chosen(name, words, params)))
  if (what.promise === 'owed') return { promise: 'owed' }
  return days && { ...days, ...what, ...(source ? { source } : {}) }
}

/** `Sep 11 – Sep 17 · answered automatically` */
export function leadsBehindWords({ answered, calls, by, promise, quotes, source, from, to }: LeadsBehind): string {
  const what =
    (answered && WHAT.answered[answered]) ??
    (calls && WHAT.calls[calls]) ??
    (by && WHAT.by[by]) ??
    (promise && WHAT.promise[promise]) ??
    (quotes && WHAT.quotes[quotes]) ??
    'came in'
  return [...(from && to ? [daysWords({ from, to })] : []), what, ...(source ? [`from ${source}`] : [])].join(' · ')
}
