// The way of a day in the phone's own maps: all stops in their order, from where one is. No service of ours or others is asked.

export type Stop = {
  id: string
  customer: string
  /** What a map looks for; undefined where no address is known. */ place: string | undefined
}

/** A map takes nine stops on the way and the last one. */
const MOST = 10

export type Leg = { /** `1 – 10` where the day has several. */ stops: string; google: string; apple: string }

function google(places: readonly string[]): string {
  const address = new URL('https://www.google.com/maps/dir/?api=1&travelmode=driving')
  address.searchParams.set('destination', places.at(-1) ?? '')
  if (places.length > 1) address.searchParams.set('waypoints', places.slice(0, -1).join('|'))
  return address.href
}

function apple(places: readonly string[]): string {
  const address = new URL('https://maps.apple.com/directions?mode=driving')
  for (const place of places.slice(0, -1)) address.searchParams.append('waypoint', place)
  address.searchParams.set('destination', places.at(-1) ?? '')
  return address.href
}

/** The day's way, in pieces that a map takes. The same place twice in a row is one stop. */
export function legsOf(stops: readonly Stop[]): Leg[] {
  const places = stops.flatMap(({ place }) => place ?? []).filter((place, at, all) => place !== all[at - 1])
  const legs: Leg[] = []
  for (let at = 0; at < places.length; at += MOST) {
    const part = places.slice(at, at + MOST)
    legs.push({
      stops: places.length > MOST ? `${at + 1} – ${at + part.length}` : '',
      google: google(part),
      apple: apple(part),
    })
  }
  return legs
}

/** Whether Apple's maps are on this device. */
export const isApple = () => /iPhone|iPad|Macintosh/.test(navigator.userAgent)
