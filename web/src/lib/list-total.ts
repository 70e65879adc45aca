// List totals from response headers.
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
