// Counts, shares and sizes as text.
import { lazily } from './lazily'

const count = lazily(() => new Intl.NumberFormat('en-US'))
const percent = lazily(() => new Intl.NumberFormat('en-US', { style: 'percent', maximumFractionDigits: 0 }))
const tenths = lazily(() => new Intl.NumberFormat('en-US', { minimumFractionDigits: 1, maximumFractionDigits: 1 }))
const SIZES = ['Bytes', 'KB', 'MB', 'GB'] as const

/** `1,204` */
export function formatCount(value: number): string {
  return count().format(value)
}

/** `65%` of a share between 0 and 1. */
export function formatPercent(share: number): string {
  return percent().format(share)
}

/** `2.5`: always one decimal. */
export function formatTenths(value: number): string {
  return tenths().format(value)
}

/** `3.2 MB`: Bytes, KB, MB and GB by steps of 1024. */
export function formatBytes(bytes: number): string {
  if (bytes <= 0) return '0 Bytes'
  const step = Math.min(SIZES.length - 1, Math.floor(Math.log(bytes) / Math.log(1024)))
  const value = Math.round((bytes / 1024 ** step) * 10) / 10
  return `${value} ${SIZES[step] ?? 'GB'}`
}
