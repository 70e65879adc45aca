import type { JobDetail } from '../types'

/** Undefined where there is nothing to look for. */
export function mapHref({ address, zip }: Pick<JobDetail, 'address' | 'zip'>): string | undefined {
  const place = [address, zip].filter(Boolean).join(', ')
  return place === '' ? undefined : `https://maps.google.com/?q=${encodeURIComponent(place)}`
}
