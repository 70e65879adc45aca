// Money arrives as decimal dollars and leaves as text.
import { lazily } from './lazily'

const CURRENCY = 'USD'

const whole = lazily(
  () => new Intl.NumberFormat('en-US', { style: 'currency', currency: CURRENCY, maximumFractionDigits: 0 }),
)
const short = lazily(
  () => new Intl.NumberFormat('en-US', { style: 'currency', currency: CURRENCY, notation: 'compact' }),
)
const exact = lazily(() => new Intl.NumberFormat('en-US', { style: 'currency', currency: CURRENCY }))

/** `$1,250` or, where there are cents, `$1,250.50`. */
export function formatMoney(dollars: number): string {
  return Number.isInteger(dollars) ? whole().format(dollars) : exact().format(dollars)
}

/** `$1,250`: rounded, for a figure whose cents stand in the list behind it. */
export function formatWholeMoney(dollars: number): string {
  // Rounded to nothing it is not below nothing.
  return whole().format(Math.round(dollars) || 0)
}

/** `$1,250.00`: with its cents, where amounts stand below each other or a sentence reckons with them. */
export function formatCents(dollars: number): string {
  return exact().format(dollars)
}

/** `$950`, `$1.2K`, `$89K`: for a figure that is read from afar. */
export function formatMoneyShort(dollars: number): string {
  return short().format(dollars)
}
