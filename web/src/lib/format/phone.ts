/** `(312) 555-0142` for US numbers, else unchanged. */
export function formatPhone(phone: string): string {
  const digits = phone.replace(/\D/g, '')
  const national = digits.length === 11 && digits.startsWith('1') ? digits.slice(1) : digits
  const foreign = phone.trim().startsWith('+') && !phone.trim().startsWith('+1')
  if (foreign || national.length !== 10) return phone
  return `(${national.slice(0, 3)}) ${national.slice(3, 6)}-${national.slice(6)}`
}

export function telHref(phone: string): string {
  return `tel:${phone.replace(/[^\d+*#]/g, '')}`
}
