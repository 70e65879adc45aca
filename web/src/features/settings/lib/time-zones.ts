// Time zones as people call them: the four of most customers first, then every other.

const FIRST = [
  ['America/Chicago', 'Central'],
  ['America/New_York', 'Eastern'],
  ['America/Denver', 'Mountain'],
  ['America/Los_Angeles', 'Pacific'],
] as const

export type Zone = { id: string; name: string; place: string }

/** `America/Argentina/Buenos_Aires` is `Buenos Aires, Argentina`. */
function placeOf(id: string): string {
  const [region = '', ...rest] = id.replaceAll('_', ' ').split('/')
  return rest.length === 0
    ? region
    : rest
        .toReversed()
        .concat(rest.length === 1 ? [region] : [])
        .join(', ')
}

export function zoneOf(id: string): Zone {
  const known = FIRST.find(([first]) => first === id)?.[1]
  const place = placeOf(id)
  return known ? { id, name: known, place } : { id, name: place, place: '' }
}

/** The four, then all others by their place. */
export function allZones(): Zone[] {
  const first: readonly string[] = FIRST.map(([id]) => id)
  const rest = [...Intl.supportedValuesOf('timeZone'), 'UTC'].filter(
    (id, at, all) => !first.includes(id) && all.indexOf(id) === at,
  )
  return [...first.map(zoneOf), ...rest.map(zoneOf).toSorted((a, b) => a.name.localeCompare(b.name))]
}

/** By any word of the name or the identifier. */
export function matchingZones(zones: readonly Zone[], typed: string): Zone[] {
  const words = typed
    .toLowerCase()
    .split(/[\s,/_]+/)
    .filter(Boolean)
  return zones.filter(({ id, name, place }) => {
    const text = `${id} ${name} ${place}`.toLowerCase()
    return words.every((word) => text.includes(word))
  })
}
