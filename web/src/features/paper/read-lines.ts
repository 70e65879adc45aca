// The lines of a paper as they were typed: for the sums beside them, and for the server; and back from a paper there is.
import type { Schema } from '@/api/client'
import { type PaperLine, type PaperPart, readScaled } from './paper'
import type { LineValues, PaperValues, PartKind } from './schema'

type TaxRate = Schema['NamedTaxRate']
type Part = Schema['Part']

const WHOLE_PPM = 1_000_000n
const PER_PERCENT = 10_000
const DIGITS = { percent: 4, amount: 2 } as const

/** Undefined for what is none above nothing. */
export function readPart(kind: PartKind, typed: string): PaperPart | undefined {
  if (kind === 'none') return { kind }
  const value = readScaled(typed, DIGITS[kind])
  if (value === undefined || value <= 0n || (kind === 'percent' && value > WHOLE_PPM)) return undefined
  return kind === 'percent' ? { kind, ppm: value } : { kind, cents: value }
}

/** As the server reads it; null for none. */
export function toPart(kind: PartKind, typed: string): Part | null {
  const part = readPart(kind, typed)
  if (part?.kind === 'percent') return { percent: Number(part.ppm) / PER_PERCENT }
  return part?.kind === 'amount' ? { amount: Number(part.cents) / 100 } : null
}

type TypedPart = { kind: PartKind; typed: string }

/** A part as the fields hold it. */
export function typedPart(part: Part | null | undefined): TypedPart {
  if (typeof part?.percent === 'number') return { kind: 'percent', typed: String(part.percent) }
  return typeof part?.amount === 'number'
    ? { kind: 'amount', typed: part.amount.toFixed(2) }
    : { kind: 'none', typed: '' }
}

/** A tax in one text: a line keeps the rate it was given, also when the settings have another by now. */
export const taxKey = ({ name, rate }: TaxRate) => `${rate} ${name}`

/** Undefined where there is no tax. */
export function readTax(key: string): TaxRate | undefined {
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

/** What stands there when options are first asked for: the one in the middle is recommended. */
const USUAL_OPTIONS: PaperValues['options'] = ['Good', 'Better', 'Best'].map((name) => ({
  optionId: name.toLowerCase(),
  name,
  description: '',
}))
const USUALLY_RECOMMENDED = 'better'

/** Of nothing yet; `tax` is what a new line has. */
export const emptyPaper = (tax: string): PaperValues => ({
  lines: [emptyLine(tax)],
  discountKind: 'none',
  discount: '',
  hasOptions: false,
  options: USUAL_OPTIONS,
  recommended: USUALLY_RECOMMENDED,
})

/** Below nothing where it takes something off; undefined for what is no amount. */
function readPrice({ unitPrice, isCredit }: Pick<LineValues, 'unitPrice' | 'isCredit'>): bigint | undefined {
  const cents = readScaled(unitPrice, 2)
  return isCredit && cents !== undefined && cents > 0n ? -cents : cents
}

/** A line that can be reckoned with already; what is still being typed counts as nothing. */
export function reckonableLine(line: LineValues, hasOptions: boolean): PaperLine {
  const { quantity, tax, optional, optionId, discountKind, discount } = line
  const rate = readTax(tax)
  return {
    quantityMilli: readScaled(quantity, 3) ?? 0n,
    unitCents: readPrice(line) ?? 0n,
    discount: readPart(discountKind, discount) ?? { kind: 'none' },
    taxPpm: BigInt(Math.round((rate?.rate ?? 0) * PER_PERCENT)),
    taxName: rate?.name ?? '',
    isOptional: optional,
    optionId: hasOptions ? optionId : '',
  }
}

export function reckonable({ lines, discountKind, discount, hasOptions }: PaperValues): {
  lines: PaperLine[]
  discount: PaperPart
} {
  return {
    lines: lines.map((line) => reckonableLine(line, hasOptions)),
    discount: readPart(discountKind, discount) ?? { kind: 'none' },
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
  const [rate, off] = [readTax(tax), toPart(discountKind, discount)]
  return {
    name,
    quantity: Number(readScaled(quantity, 3) ?? 0n) / 1000,
    unitPrice: Number(readPrice(line) ?? 0n) / 100,
    optional,
    ...(description === '' ? {} : { description }),
    ...(unit === '' ? {} : { unit }),
    ...(rate ? { taxName: rate.name, taxRate: rate.rate } : {}),
    ...(off ? { discount: off } : {}),
    ...(hasOptions && optionId !== '' ? { optionId } : {}),
    ...(priceItemId === '' ? {} : { priceItemId }),
  }
}

function toOptions({ options, recommended }: PaperValues) {
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
export function toPaper(values: PaperValues) {
  const off = toPart(values.discountKind, values.discount)
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

function typedLine(line: Schema['Line']): LineValues {
  const off = typedPart(line.discount)
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
        ? taxKey({ name: line.taxName ?? 'Tax', rate: line.taxRate })
        : '',
    optional: line.optional ?? false,
    optionId: line.optionId ?? '',
    discountKind: off.kind,
    discount: off.typed,
    priceItemId: line.priceItemId ?? '',
  }
}

/** A paper there is, as the fields hold it. */
export function typedPaper({ lines, options = [], recommended, discount }: Schema['Paper']): PaperValues {
  const off = typedPart(discount)
  const hasOptions = options.length > 0
  return {
    lines: lines.map(typedLine),
    discountKind: off.kind,
    discount: off.typed,
    hasOptions,
    options: hasOptions
      ? options.map(({ id, name, description }) => ({ optionId: id, name, description: description ?? '' }))
      : USUAL_OPTIONS,
    recommended: hasOptions ? (recommended ?? options[0]?.id ?? '') : USUALLY_RECOMMENDED,
  }
}
