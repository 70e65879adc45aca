// Auto-scroll of containers near their edges during a drag.

/** Edge distance and maximum speed per frame, in pixels. */
const EDGE_PX = 64
const MAX_SPEED_PX = 16

/** Signed speed, growing towards the edge; 0 elsewhere. */
export function getEdgeSpeed(at: number, start: number, end: number): number {
  if (at < start + EDGE_PX) return -Math.min(1, (start + EDGE_PX - at) / EDGE_PX) * MAX_SPEED_PX
  if (at > end - EDGE_PX) return Math.min(1, (at - end + EDGE_PX) / EDGE_PX) * MAX_SPEED_PX
  return 0
}

const canScroll = (overflow: string) => overflow === 'auto' || overflow === 'scroll'

function collectAncestors(elements: readonly (Element | null)[]): Set<Element> {
  const found = new Set<Element>()
  for (const element of elements)
    for (let one = element; one && one !== document.scrollingElement; one = one.parentElement) found.add(one)
  return found
}

const isBetween = (at: number, start: number, end: number) => at >= start && at <= end

/** One frame of scrolling at this point; true when something moved. */
function scrollStep(x: number, y: number, draggedElement: Element | null): boolean {
  let hasMoved = false
  const move = (element: Element, left: number, top: number) => {
    const [wasLeft, wasTop] = [element.scrollLeft, element.scrollTop]
    element.scrollLeft += left
    element.scrollTop += top
    hasMoved ||= element.scrollLeft !== wasLeft || element.scrollTop !== wasTop
  }
  for (const element of collectAncestors([document.elementFromPoint(x, y), draggedElement])) {
    const { overflowX, overflowY } = getComputedStyle(element)
    if (!canScroll(overflowX) && !canScroll(overflowY)) continue
    const { left, right, top, bottom } = element.getBoundingClientRect()
    // Only the visible part counts for containers larger than the screen.
    const across =
      canScroll(overflowX) && isBetween(y, top, bottom)
        ? getEdgeSpeed(x, Math.max(0, left), Math.min(innerWidth, right))
        : 0
    const down =
      canScroll(overflowY) && isBetween(x, left, right)
        ? getEdgeSpeed(y, Math.max(0, top), Math.min(innerHeight, bottom))
        : 0
    move(element, across, down)
  }
  if (document.scrollingElement) move(document.scrollingElement, 0, getEdgeSpeed(y, 0, innerHeight))
  return hasMoved
}

/** Returns the stop function; `at` is the pointer position, undefined without a drag. */
export function startEdgeScroll(
  draggedElement: Element | null,
  at: () => { x: number; y: number } | undefined,
  onScroll: () => void,
): () => void {
  let frame = requestAnimationFrame(function next() {
    const point = at()
    if (point && scrollStep(point.x, point.y, draggedElement)) onScroll()
    frame = requestAnimationFrame(next)
  })
  return () => cancelAnimationFrame(frame)
}
