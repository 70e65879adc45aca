// Time zones, the four common ones first.

import { t } from '@/lib/i18n'

const COMMON_ZONES = [
  ['America/Chicago', t('Central')],
  ['America/New_York', t('Eastern')],
  ['America/Denver', t('Mountain')],
  ['America/Los_Angeles', t('Pacific')],
] as const

export type TimeZoneOption = { id: string; name: string; place: string }

/** `America/Argentina/Buenos_Aires` is `Buenos Aires, Argentina`. */
function getZonePlace(id: string): string {
  const [region = '', ...rest] = id.replaceAll('_', ' ').split('/')
  return rest.length === 0
    ? region
    : rest
        .toReversed()
        .concat(rest.length === 1 ? [region] : [])
        .join(', ')
}

export function toTimeZoneOption(id: string): TimeZoneOption {
  const known = COMMON_ZONES.find(([first]) => first === id)?.[1]
  const place = getZonePlace(id)
  return known ? { id, name: known, place } : { id, name: place, place: '' }
}

/** The four, then all others by their place. */
export function listTimeZones(): TimeZoneOption[] {
  const first: readonly string[] = COMMON_ZONES.map(([id]) => id)
  const rest = [...Intl.supportedValuesOf('timeZone'), 'UTC'].filter(
    (id, at, all) => !first.includes(id) && all.indexOf(id) === at,
  )
  return [
    ...first.map(toTimeZoneOption),
    ...rest.map(toTimeZoneOption).toSorted((a, b) => a.name.localeCompare(b.name)),
  ]
}

/** By any word of the name or the identifier. */
export function filterTimeZones(zones: readonly TimeZoneOption[], typed: string): TimeZoneOption[] {
  const words = typed
    .toLowerCase()
    .split(/[\s,/_]+/)
    .filter(Boolean)
  return zones.filter(({ id, name, place }) => {
    const text = `${id} ${name} ${place}`.toLowerCase()
    return words.every((word) => text.includes(word))
  })
}
