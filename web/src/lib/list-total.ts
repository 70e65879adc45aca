// List totals from response headers.
import { formatCount } from './format/number'

/** Longer lists may be counted no further. */
const MAX_EXACT_TOTAL = 2000

export type ListTotal = {
  total: number
  /** Calls or estimates, where rows can have several. */
  counted?: number
  /** In dollars. */
  amount?: number
}

/** `rows`: fallback for a missing header. */
export function readListTotal({ headers }: Response, rows: number): ListTotal {
  const read = (name: string) => (headers.has(name) ? Number(headers.get(name)) : Number.NaN)
  const [total, counted, amount] = [read('X-Total-Count'), read('X-Total-Counted'), read('X-Total-Amount')]
  return {
    total: Number.isFinite(total) ? total : rows,
    ...(Number.isFinite(counted) ? { counted } : {}),
    ...(Number.isFinite(amount) ? { amount } : {}),
  }
}

/** `1,204`, `2,000+` */
export function formatListTotal(total: number): string {
  return total > MAX_EXACT_TOTAL ? `${formatCount(MAX_EXACT_TOTAL)}+` : formatCount(total)
}
