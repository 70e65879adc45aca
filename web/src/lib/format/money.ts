// Decimal dollars as text.
import { createOnce } from './create-once'

const CURRENCY = 'USD'

const whole = createOnce(
  () => new Intl.NumberFormat('en-US', { style: 'currency', currency: CURRENCY, maximumFractionDigits: 0 }),
)
const short = createOnce(
  () => new Intl.NumberFormat('en-US', { style: 'currency', currency: CURRENCY, notation: 'compact' }),
)
const exact = createOnce(() => new Intl.NumberFormat('en-US', { style: 'currency', currency: CURRENCY }))

/** `$1,250`, or `$1,250.50` with cents. */
export function formatMoney(dollars: number): string {
  return Number.isInteger(dollars) ? whole().format(dollars) : exact().format(dollars)
}

/** `$1,250`: rounded. */
export function formatWholeMoney(dollars: number): string {
  // Avoids `-$0`.
  return whole().format(Math.round(dollars) || 0)
}

/** `$1,250.00`: for columns and sums. */
export function formatCents(dollars: number): string {
  return exact().format(dollars)
}

/** `$950`, `$1.2K`, `$89K`. */
export function formatMoneyShort(dollars: number): string {
  return short().format(dollars)
}
