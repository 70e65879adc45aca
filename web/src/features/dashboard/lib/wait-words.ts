// How long somebody waited, from a figure in minutes with decimals: three seconds are never rounded to none.

const HOUR = 60
const DAY = 24 * HOUR
const A_FEW = 10

const oneDecimal = (value: number) => String(Math.round(value * 10) / 10)

/** `3 s`, `2.5 min`, `45 min`, `3.2 h`, `2 d`; an em dash where nobody was answered. */
export function waitWords(minutes: number | null | undefined): string {
  if (minutes === null || minutes === undefined) return '–'
  const seconds = minutes * 60
  if (seconds < 1) return 'under 1 s'
  if (Math.round(seconds) < 60) return `${Math.round(seconds)} s`
  if (minutes < A_FEW) return `${oneDecimal(minutes)} min`
  if (Math.round(minutes) < HOUR) return `${Math.round(minutes)} min`
  return minutes < 2 * DAY ? `${oneDecimal(minutes / HOUR)} h` : `${oneDecimal(minutes / DAY)} d`
}
