import { formatLocale, t } from '@/lib/i18n'
import { createOnce } from './create-once'

const count = createOnce(() => new Intl.NumberFormat(formatLocale()))
const percent = createOnce(() => new Intl.NumberFormat(formatLocale(), { style: 'percent', maximumFractionDigits: 0 }))
const tenths = createOnce(
  () => new Intl.NumberFormat(formatLocale(), { minimumFractionDigits: 1, maximumFractionDigits: 1 }),
)
const SIZES = [t('Bytes'), 'KB', 'MB', 'GB'] as const

/** `1,204` */
export function formatCount(value: number): string {
  return count().format(value)
}

/** `65%` of 0.65. */
export function formatPercent(share: number): string {
  return percent().format(share)
}

/** `2.5`: one decimal. */
export function formatTenths(value: number): string {
  return tenths().format(value)
}

/** `3.2 MB`: steps of 1024. */
export function formatBytes(bytes: number): string {
  if (bytes <= 0) return t('0 Bytes')
  const step = Math.min(SIZES.length - 1, Math.floor(Math.log(bytes) / Math.log(1024)))
  const value = Math.round((bytes / 1024 ** step) * 10) / 10
  return `${value} ${SIZES[step] ?? 'GB'}`
}
