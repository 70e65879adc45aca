// Goes to a place on the page: it comes into sight, and has the focus.
export function goTo(id: string): void {
  const place = document.getElementById(id)
  place?.scrollIntoView({ block: 'start' })
  place?.focus({ preventScroll: true })
}
