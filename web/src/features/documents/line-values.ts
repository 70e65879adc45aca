// Conversion of line items between form, totals and server.
import type { Schema } from '@/api/client'
import { type ScaledLine, type PercentOrAmount, parseScaled } from './document-totals'
import type { LineValues, LineItemsValues, AmountKind } from './schema'

type TaxRate = Schema['NamedTaxRate']
type Part = Schema['Part']

const WHOLE_PPM = 1_000_000n
const PER_PERCENT = 10_000
const DECIMAL_DIGITS = { percent: 4, amount: 2 } as const

/** Undefined unless positive. */
export function parsePercentOrAmount(kind: AmountKind, typed: string): PercentOrAmount | undefined {
  if (kind === 'none') return { kind }
  const value = parseScaled(typed, DECIMAL_DIGITS[kind])
  if (value === undefined || value <= 0n || (kind === 'percent' && value > WHOLE_PPM)) return undefined
  return kind === 'percent' ? { kind, ppm: value } : { kind, cents: value }
}

/** As the server reads it; null for none. */
export function toPercentOrAmountRequest(kind: AmountKind, typed: string): Part | null {
  const part = parsePercentOrAmount(kind, typed)
  if (part?.kind === 'percent') return { percent: Number(part.ppm) / PER_PERCENT }
  return part?.kind === 'amount' ? { amount: Number(part.cents) / 100 } : null
}

type PercentOrAmountValues = { kind: AmountKind; typed: string }

/** A part as the fields hold it. */
export function toPercentOrAmountValues(part: Part | null | undefined): PercentOrAmountValues {
  if (typeof part?.percent === 'number') return { kind: 'percent', typed: String(part.percent) }
  return typeof part?.amount === 'number'
    ? { kind: 'amount', typed: part.amount.toFixed(2) }
    : { kind: 'none', typed: '' }
}

/** A tax in one text: a line keeps the rate it was given, also when the settings have another by now. */
export const toTaxKey = ({ name, rate }: TaxRate) => `${rate} ${name}`

/** Undefined where there is no tax. */
export function parseTaxKey(key: string): TaxRate | undefined {
  const at = key.indexOf(' ')
  const rate = Number(key.slice(0, at))
  return at > 0 && Number.isFinite(rate) ? { name: key.slice(at + 1), rate } : undefined
}

export const emptyLine = (tax: string): LineValues => ({
  lineId: '',
  name: '',
  description: '',
  quantity: '1',
  unit: '',
  unitPrice: '',
  isCredit: false,
  tax,
  optional: false,
  optionId: '',
  discountKind: 'none',
  discount: '',
  priceItemId: '',
})

/** Initial options: the one in the middle is recommended. */
const DEFAULT_OPTIONS: LineItemsValues['options'] = ['Good', 'Better', 'Best'].map((name) => ({
  optionId: name.toLowerCase(),
  name,
  description: '',
}))
const DEFAULT_RECOMMENDED = 'better'

/** Of nothing yet; `tax` is what a new line has. */
export const emptyLineItems = (tax: string): LineItemsValues => ({
  lines: [emptyLine(tax)],
  discountKind: 'none',
  discount: '',
  hasOptions: false,
  options: DEFAULT_OPTIONS,
  recommended: DEFAULT_RECOMMENDED,
})

/** Negative for a reduction; undefined for invalid input. */
function parseLinePrice({ unitPrice, isCredit }: Pick<LineValues, 'unitPrice' | 'isCredit'>): bigint | undefined {
  const cents = parseScaled(unitPrice, 2)
  return isCredit && cents !== undefined && cents > 0n ? -cents : cents
}

/** A line that can be computed; incomplete input counts as zero. */
export function toScaledLine(line: LineValues, hasOptions: boolean): ScaledLine {
  const { quantity, tax, optional, optionId, discountKind, discount } = line
  const rate = parseTaxKey(tax)
  return {
    quantityMilli: parseScaled(quantity, 3) ?? 0n,
    unitCents: parseLinePrice(line) ?? 0n,
    discount: parsePercentOrAmount(discountKind, discount) ?? { kind: 'none' },
    taxPpm: BigInt(Math.round((rate?.rate ?? 0) * PER_PERCENT)),
    taxName: rate?.name ?? '',
    isOptional: optional,
    optionId: hasOptions ? optionId : '',
  }
}

export function toScaledLines({ lines, discountKind, discount, hasOptions }: LineItemsValues): {
  lines: ScaledLine[]
  discount: PercentOrAmount
} {
  return {
    lines: lines.map((line) => toScaledLine(line, hasOptions)),
    discount: parsePercentOrAmount(discountKind, discount) ?? { kind: 'none' },
  }
}

/** Once one line has an id each must have one, or a number given to a new line might be another's already. */
function lineIds(lines: readonly LineValues[]): string[] | undefined {
  const taken = new Set(lines.map(({ lineId }) => lineId).filter((id) => id !== ''))
  if (taken.size === 0) return undefined
  let next = 1
  const fresh = () => {
    while (taken.has(String(next))) next += 1
    taken.add(String(next))
    return String(next)
  }
  return lines.map(({ lineId }) => (lineId === '' ? fresh() : lineId))
}

function toLine(line: LineValues, hasOptions: boolean) {
  const { name, description, quantity, unit, tax, optional, optionId, discountKind, discount, priceItemId } = line
  const [rate, off] = [parseTaxKey(tax), toPercentOrAmountRequest(discountKind, discount)]
  return {
    name,
    quantity: Number(parseScaled(quantity, 3) ?? 0n) / 1000,
    unitPrice: Number(parseLinePrice(line) ?? 0n) / 100,
    optional,
    ...(description === '' ? {} : { description }),
    ...(unit === '' ? {} : { unit }),
    ...(rate ? { taxName: rate.name, taxRate: rate.rate } : {}),
    ...(off ? { discount: off } : {}),
    ...(hasOptions && optionId !== '' ? { optionId } : {}),
    ...(priceItemId === '' ? {} : { priceItemId }),
  }
}

function toOptions({ options, recommended }: LineItemsValues) {
  return {
    options: options.map(({ optionId: id, name, description }) => ({
      id,
      name,
      ...(description === '' ? {} : { description }),
    })),
    ...(recommended === '' ? {} : { recommended }),
  }
}

/** As the server reads it. The form has checked every number. */
export function toLineItemsRequest(values: LineItemsValues) {
  const off = toPercentOrAmountRequest(values.discountKind, values.discount)
  const ids = lineIds(values.lines)
  return {
    lines: values.lines.map((line, at) => ({
      ...(ids ? { id: ids[at] ?? '' } : {}),
      ...toLine(line, values.hasOptions),
    })),
    ...(off ? { discount: off } : {}),
    ...(values.hasOptions ? toOptions(values) : {}),
  }
}

function toLineValues(line: Schema['Line']): LineValues {
  const off = toPercentOrAmountValues(line.discount)
  return {
    lineId: line.id,
    name: line.name,
    description: line.description ?? '',
    quantity: String(line.quantity),
    unit: line.unit === 'each' ? '' : line.unit,
    unitPrice: Math.abs(line.unitPrice).toFixed(2),
    isCredit: line.unitPrice < 0,
    tax:
      typeof line.taxRate === 'number' && line.taxRate > 0
        ? toTaxKey({ name: line.taxName ?? 'Tax', rate: line.taxRate })
        : '',
    optional: line.optional ?? false,
    optionId: line.optionId ?? '',
    discountKind: off.kind,
    discount: off.typed,
    priceItemId: line.priceItemId ?? '',
  }
}

/** A paper there is, as the fields hold it. */
export function toLineItemsValues({ lines, options = [], recommended, discount }: Schema['Paper']): LineItemsValues {
  const off = toPercentOrAmountValues(discount)
  const hasOptions = options.length > 0
  return {
    lines: lines.map(toLineValues),
    discountKind: off.kind,
    discount: off.typed,
    hasOptions,
    options: hasOptions
      ? options.map(({ id, name, description }) => ({ optionId: id, name, description: description ?? '' }))
      : DEFAULT_OPTIONS,
    recommended: hasOptions ? (recommended ?? options[0]?.id ?? '') : DEFAULT_RECOMMENDED,
  }
}
