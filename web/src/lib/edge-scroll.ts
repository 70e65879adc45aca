// While something is dragged, what lies under the pointer scrolls by itself near its edges: the place to drop it may be out of sight.

/** How close to an edge, and how far at most in a frame, in pixels. */
const EDGE = 64
const FASTEST = 16

/** Away from the middle, the faster the nearer to the edge; 0 elsewhere. */
export function pushAt(at: number, start: number, end: number): number {
  if (at < start + EDGE) return -Math.min(1, (start + EDGE - at) / EDGE) * FASTEST
  if (at > end - EDGE) return Math.min(1, (at - end + EDGE) / EDGE) * FASTEST
  return 0
}

const canScroll = (overflow: string) => overflow === 'auto' || overflow === 'scroll'

/** All that stands around the elements, each once. */
function around(elements: readonly (Element | null)[]): Set<Element> {
  const found = new Set<Element>()
  for (const element of elements)
    for (let one = element; one && one !== document.scrollingElement; one = one.parentElement) found.add(one)
  return found
}

const isBetween = (at: number, start: number, end: number) => at >= start && at <= end

/** One step of whatever scrolls at this point, or held the thing before; says whether anything moved. */
function step(x: number, y: number, held: Element | null): boolean {
  let hasMoved = false
  const move = (element: Element, left: number, top: number) => {
    const [wasLeft, wasTop] = [element.scrollLeft, element.scrollTop]
    element.scrollLeft += left
    element.scrollTop += top
    hasMoved ||= element.scrollLeft !== wasLeft || element.scrollTop !== wasTop
  }
  for (const element of around([document.elementFromPoint(x, y), held])) {
    const { overflowX, overflowY } = getComputedStyle(element)
    if (!canScroll(overflowX) && !canScroll(overflowY)) continue
    const { left, right, top, bottom } = element.getBoundingClientRect()
    // Of what reaches beyond the screen only the edge that is seen counts; beyond that edge it goes on.
    const across =
      canScroll(overflowX) && isBetween(y, top, bottom) ? pushAt(x, Math.max(0, left), Math.min(innerWidth, right)) : 0
    const down =
      canScroll(overflowY) && isBetween(x, left, right) ? pushAt(y, Math.max(0, top), Math.min(innerHeight, bottom)) : 0
    move(element, across, down)
  }
  if (document.scrollingElement) move(document.scrollingElement, 0, pushAt(y, 0, innerHeight))
  return hasMoved
}

/** Scrolls until it is stopped; `at` says where the pointer is, undefined while nothing is dragged; `held` is what was taken. */
export function scrollAtEdges(
  held: Element | null,
  at: () => { x: number; y: number } | undefined,
  onScroll: () => void,
): () => void {
  let frame = requestAnimationFrame(function next() {
    const point = at()
    if (point && step(point.x, point.y, held)) onScroll()
    frame = requestAnimationFrame(next)
  })
  return () => cancelAnimationFrame(frame)
}
