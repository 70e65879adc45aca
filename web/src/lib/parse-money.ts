const AMOUNT = /^(?:\d{1,3}(?:,\d{3})+|\d+)?(?:\.\d{0,2})?$/

/** Dollars from `1250`, `1,250.5` or `$1,250.50`; undefined for invalid input. */
export function parseMoney(typed: string): number | undefined {
  const plain = typed.trim().replace(/^\$\s*/, '')
  if (!/\d/.test(plain) || !AMOUNT.test(plain)) return undefined
  return Number(plain.replaceAll(',', ''))
}
