// An amount of dollars as people type it.

const AMOUNT = /^(?:\d{1,3}(?:,\d{3})+|\d+)?(?:\.\d{0,2})?$/

/** `1250`, `1,250.5` and `$1,250.50` become dollars; undefined for what is no amount of whole cents. */
export function readMoney(typed: string): number | undefined {
  const plain = typed.trim().replace(/^\$\s*/, '')
  if (!/\d/.test(plain) || !AMOUNT.test(plain)) return undefined
  return Number(plain.replaceAll(',', ''))
}
