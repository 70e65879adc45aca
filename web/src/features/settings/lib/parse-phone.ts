/** `+13125550142` for every usual way to write it; undefined for what cannot be one. */
export function parsePhone(typed: string): string | undefined {
  const digits = typed.replaceAll(/\D/g, '')
  const national = digits.length === 11 && digits.startsWith('1') ? digits.slice(1) : digits
  const isForeign = typed.trim().startsWith('+') && !typed.trim().startsWith('+1')
  // Neither the area code nor the exchange of the numbering plan starts with 0 or 1.
  return !isForeign && /^[2-9]\d{2}[2-9]\d{6}$/.test(national) ? `+1${national}` : undefined
}
