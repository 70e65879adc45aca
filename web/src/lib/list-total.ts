// What a list says of itself in its headers: how long it is, what a figure counts in it, and what it comes to.
export type ListTotal = {
  total: number
  /** Calls and estimates, of which a row may have several; absent where rows are what is counted. */
  counted?: number
  /** In dollars, where that is a figure. */
  amount?: number
}

/** `rows` is how many have come, for a server that says nothing. */
export function listTotal({ headers }: Response, rows: number): ListTotal {
  const read = (name: string) => (headers.has(name) ? Number(headers.get(name)) : Number.NaN)
  const [total, counted, amount] = [read('X-Total-Count'), read('X-Total-Counted'), read('X-Total-Amount')]
  return {
    total: Number.isFinite(total) ? total : rows,
    ...(Number.isFinite(counted) ? { counted } : {}),
    ...(Number.isFinite(amount) ? { amount } : {}),
  }
}
