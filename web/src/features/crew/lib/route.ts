// Day route as map links; no routing service is used.

export type RouteStop = {
  id: string
  customer: string
  /** What a map looks for; undefined where no address is known. */ place: string | undefined
}

/** A map takes nine stops on the way and the last one. */
const MAX_STOPS = 10

export type RouteLeg = { /** `1 – 10` where the day has several. */ stops: string; google: string; apple: string }

function googleMapsUrl(places: readonly string[]): string {
  const address = new URL('https://www.google.com/maps/dir/?api=1&travelmode=driving')
  address.searchParams.set('destination', places.at(-1) ?? '')
  if (places.length > 1) address.searchParams.set('waypoints', places.slice(0, -1).join('|'))
  return address.href
}

function appleMapsUrl(places: readonly string[]): string {
  const address = new URL('https://maps.apple.com/directions?mode=driving')
  for (const place of places.slice(0, -1)) address.searchParams.append('waypoint', place)
  address.searchParams.set('destination', places.at(-1) ?? '')
  return address.href
}

/** The day's way, in pieces that a map takes. The same place twice in a row is one stop. */
export function splitRoute(stops: readonly RouteStop[]): RouteLeg[] {
  const places = stops.flatMap(({ place }) => place ?? []).filter((place, at, all) => place !== all[at - 1])
  const legs: RouteLeg[] = []
  for (let at = 0; at < places.length; at += MAX_STOPS) {
    const part = places.slice(at, at + MAX_STOPS)
    legs.push({
      stops: places.length > MAX_STOPS ? `${at + 1} – ${at + part.length}` : '',
      google: googleMapsUrl(part),
      apple: appleMapsUrl(part),
    })
  }
  return legs
}

/** Whether Apple's maps are on this device. */
export const isAppleDevice = () => /iPhone|iPad|Macintosh/.test(navigator.userAgent)
