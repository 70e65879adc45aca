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

/** One step of whatever scrolls at this point; says whether anything moved. */
function step(x: number, y: number): boolean {
  let hasMoved = false
  const move = (element: Element, left: number, top: number) => {
    const [wasLeft, wasTop] = [element.scrollLeft, element.scrollTop]
    element.scrollLeft += left
    element.scrollTop += top
    hasMoved ||= element.scrollLeft !== wasLeft || element.scrollTop !== wasTop
  }
  const page = document.scrollingElement
  for (let element = document.elementFromPoint(x, y); element && element !== page; element = element.parentElement) {
    const { overflowX, overflowY } = getComputedStyle(element)
    if (!canScroll(overflowX) && !canScroll(overflowY)) continue
    const { left, right, top, bottom } = element.getBoundingClientRect()
    // Of what reaches beyond the screen only the edge that is seen counts.
    move(element, canScroll(overflowX) ? pushAt(x, Math.max(0, left), Math.min(innerWidth, right)) : 0, canScroll(overflowY) ? pushAt(y, Math.max(0, top), Math.min(innerHeight, bottom)) : 0)
  }
  if (page) move(page, 0, pushAt(y, 0, innerHeight))
  return hasMoved
}

/** Scrolls until it is stopped; `at` says where the pointer is, undefined while nothing is dragged. */
export function scrollAtEdges(at: () => { x: number; y: number } | undefined, onScroll: () => void): () => void {
  let frame = requestAnimationFrame(function next() {
    const point = at()
    if (point && step(point.x, point.y)) onScroll()
    frame = requestAnimationFrame(next)
  })
  return () => cancelAnimationFrame(frame)
}
