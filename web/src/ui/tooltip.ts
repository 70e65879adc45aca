// Tooltip of icon buttons, on hover and keyboard focus; hoverable and closed by Escape (WCAG 1.4.13). One per page,
// for `data-tooltip`. The text is the button's own name, so screen readers hear it once.

export const TOOLTIP_OPEN_DELAY_MS = 700
/** After another tooltip closed. */
export const TOOLTIP_SKIP_DELAY_MS = 300
/** Distance from the window's edge. */
const EDGE_PX = 4

const findAnchor = (target: EventTarget | null) =>
  target instanceof Element ? target.closest<HTMLElement>('[data-tooltip]') : null

/** Padding bridges the gap between button and tooltip. */
function createBubble(): HTMLElement {
  const bubble = document.createElement('div')
  bubble.role = 'tooltip'
  bubble.popover = 'manual'
  bubble.className = 'fixed inset-auto z-50 m-0 max-w-60 overflow-visible border-0 bg-transparent px-0 py-1.5'
  const label = document.createElement('p')
  label.className =
    'glass-sheet bg-base-100! rounded-field px-2.5 py-1.5 text-note font-semibold text-base-content shadow-xl'
  bubble.append(label)
  return bubble
}

/** Below the button, else above; within the window. */
function positionBubble(bubble: HTMLElement, anchor: HTMLElement): void {
  const at = anchor.getBoundingClientRect()
  const { width, height } = bubble.getBoundingClientRect()
  const left = Math.min(at.left + (at.width - width) / 2, document.documentElement.clientWidth - width - EDGE_PX)
  bubble.style.left = `${Math.max(EDGE_PX, left)}px`
  bubble.style.top = `${at.bottom + height > innerHeight ? at.top - height : at.bottom}px`
}

class Tooltip {
  private readonly bubble = createBubble()
  private shown: HTMLElement | undefined
  private awaited: HTMLElement | undefined
  /** Closed by the user; reopens after leaving. */
  private dismissed: HTMLElement | undefined
  private timer: ReturnType<typeof setTimeout> | undefined
  private closedAt = -Infinity

  isOver = (target: EventTarget | null) => target instanceof Node && this.bubble.contains(target)

  point(anchor: HTMLElement): void {
    if (anchor === this.shown || anchor === this.awaited || anchor === this.dismissed) return
    this.leave()
    if (Date.now() - this.closedAt < TOOLTIP_SKIP_DELAY_MS) {
      this.show(anchor)
      return
    }
    this.awaited = anchor
    this.timer = setTimeout(() => this.show(anchor), TOOLTIP_OPEN_DELAY_MS)
  }

  show(anchor: HTMLElement): void {
    this.hide()
    if (!anchor.isConnected) return
    this.shown = anchor
    const [label] = this.bubble.children
    if (label) label.textContent = anchor.dataset['tooltip'] ?? ''
    // Elements outside an open dialog are inert.
    const room = anchor.closest('dialog') ?? document.body
    room.append(this.bubble)
    this.bubble.showPopover?.()
    positionBubble(this.bubble, anchor)
  }

  hide(): void {
    clearTimeout(this.timer)
    this.awaited = undefined
    if (!this.shown) return
    this.shown = undefined
    this.closedAt = Date.now()
    this.bubble.remove()
  }

  leave(): void {
    this.dismissed = undefined
    this.hide()
  }

  dismiss(): void {
    this.dismissed = this.shown ?? this.awaited ?? this.dismissed
    this.hide()
  }
}

/** Returns the stop function. */
export function startTooltips(): () => void {
  const tooltip = new Tooltip()
  const stop = new AbortController()
  const listen = <K extends keyof DocumentEventMap>(type: K, listener: (event: DocumentEventMap[K]) => void) =>
    document.addEventListener(type, listener, { capture: true, signal: stop.signal })

  listen('pointerover', ({ target, pointerType }) => {
    // Touch has no hover.
    if (pointerType === 'touch' || tooltip.isOver(target)) return
    const anchor = findAnchor(target)
    if (anchor) tooltip.point(anchor)
    else tooltip.leave()
  })
  listen('pointerout', ({ relatedTarget }) => {
    // Left the window.
    if (relatedTarget === null) tooltip.leave()
  })
  listen('focusin', ({ target }) => {
    const anchor = findAnchor(target)
    if (anchor === target && anchor?.matches(':focus-visible')) tooltip.show(anchor)
  })
  listen('focusout', () => tooltip.leave())
  listen('click', () => tooltip.dismiss())
  listen('scroll', () => tooltip.hide())
  listen('keydown', ({ key }) => {
    if (key === 'Escape') tooltip.dismiss()
  })
  return () => {
    stop.abort()
    tooltip.leave()
  }
}
