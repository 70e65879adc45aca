// Drilldown filters of a dashboard figure: parsed from the URL and described.
import { createOnce } from '@/lib/format/create-once'
import { formatLocale, t } from '@/lib/i18n'

/** Calendar days of the business, inclusive. */
export type DayRange = { from: string; to: string }

const DAY = /^20\d\d-\d\d-\d\d$/

/** Undefined for missing or invalid days. */
export function parseDayRange(params: URLSearchParams): DayRange | undefined {
  const [from, to] = [params.get('from') ?? '', params.get('to') ?? '']
  return DAY.test(from) && DAY.test(to) && from <= to ? { from, to } : undefined
}

const shortDate = createOnce(
  () => new Intl.DateTimeFormat(formatLocale(), { month: 'short', day: 'numeric', timeZone: 'UTC' }),
)
const fullDate = createOnce(
  () => new Intl.DateTimeFormat(formatLocale(), { year: 'numeric', month: 'short', day: 'numeric', timeZone: 'UTC' }),
)

/** `Sep 11 – Sep 17`; a single day; with the year where it differs. */
export function formatDayRange({ from, to }: DayRange, today = new Date()): string {
  const format =
    from.startsWith(`${today.getFullYear()}-`) && from.slice(0, 4) === to.slice(0, 4) ? shortDate() : fullDate()
  return [...new Set([from, to])].map((day) => format.format(new Date(`${day}T12:00:00Z`))).join(' – ')
}

/** Labels by query parameter and value. */
const DRILLDOWN_LABELS = {
  answered: { auto: t('answered automatically'), human: t('answered by a person'), any: t('answered') },
  calls: { missed: t('missed calls'), recovered: t('missed calls recovered') },
  by: { booked: t('booked'), paid: t('paid'), automation: t('helped by automation') },
  promise: {
    kept: t('answered as promised'),
    broken: t('not answered as promised'),
    owed: t('wait for a promised answer'),
  },
  quotes: { sent: t('estimates sent'), won: t('estimates won'), lost: t('estimates lost') },
  texts: { refused: t("text not sent: that day's texts were used up. Open a lead and tap Send again") },
} as const

type DrilldownFilters = { [Name in keyof typeof DRILLDOWN_LABELS]?: keyof (typeof DRILLDOWN_LABELS)[Name] }
/** Open promises and unsent texts have no day range. */
export type LeadDrilldown = Partial<DayRange> & DrilldownFilters & { source?: string }

/** Query parameters of all drilldowns. */
export const DRILLDOWN_PARAMS = [
  'from',
  'to',
  'answered',
  'calls',
  'by',
  'promise',
  'quotes',
  'texts',
  'source',
  'done',
  'overdueFrom',
  'overdueTo',
  'kind',
] as const

function readChoice<Words extends object>(name: string, labels: Words, params: URLSearchParams) {
  const match = (Object.keys(labels) as (keyof Words)[]).find((word) => word === params.get(name))
  return match === undefined ? {} : { [name]: match }
}

/** Without days only for open promises and unsent texts. */
export function parseLeadDrilldown(params: URLSearchParams): LeadDrilldown | undefined {
  const [days, source] = [parseDayRange(params), params.get('source')]
  const what: DrilldownFilters = Object.assign(
    {},
    ...Object.entries(DRILLDOWN_LABELS).map(([name, labels]) => readChoice(name, labels, params)),
  )
  if (what.promise === 'owed') return { promise: 'owed' }
  if (what.texts) return { texts: what.texts }
  return days && { ...days, ...what, ...(source ? { source } : {}) }
}

/** `Sep 11 – Sep 17 · answered automatically` */
export function describeLeadDrilldown({
  answered,
  calls,
  by,
  promise,
  quotes,
  texts,
  source,
  from,
  to,
}: LeadDrilldown): string {
  const what =
    (answered && DRILLDOWN_LABELS.answered[answered]) ??
    (calls && DRILLDOWN_LABELS.calls[calls]) ??
    (by && DRILLDOWN_LABELS.by[by]) ??
    (promise && DRILLDOWN_LABELS.promise[promise]) ??
    (quotes && DRILLDOWN_LABELS.quotes[quotes]) ??
    (texts && DRILLDOWN_LABELS.texts[texts]) ??
    t('came in')
  const days = from && to ? [formatDayRange({ from, to })] : []
  return [...days, what, ...(source ? [t('from {source}', { source })] : [])].join(' · ')
}
