// The words of a button that shows an icon alone, said beside it while somebody points at it or has come to it by the
// keyboard. It can be pointed at itself, and Escape closes it (WCAG 1.4.13). One for the whole page, started once: a button
// only says `data-tooltip`. The words are the button's own name, so who hears the screen is told nothing twice.

/** How long somebody points before the words come. */
export const TOOLTIP_OPEN_DELAY_MS = 700
/** Within this time after other words have gone, the next come at once. */
export const TOOLTIP_SKIP_DELAY_MS = 300
/** Between the words and the edge of the window. */
const EDGE_PX = 4

const anchorOf = (target: EventTarget | null) =>
  target instanceof Element ? target.closest<HTMLElement>('[data-tooltip]') : null

/** The padding bridges the gap: the pointer comes from the button to the words without leaving both. */
function makeBubble(): HTMLElement {
  const bubble = document.createElement('div')
  bubble.role = 'tooltip'
  bubble.popover = 'manual'
  bubble.className = 'fixed inset-auto z-50 m-0 max-w-60 overflow-visible border-0 bg-transparent px-0 py-1.5'
  const words = document.createElement('p')
  words.className =
    'glass-sheet bg-base-100! rounded-field px-2.5 py-1.5 text-note font-semibold text-base-content shadow-xl'
  bubble.append(words)
  return bubble
}

/** Below the button or, where there is no room, above it; never over the edge. */
function place(bubble: HTMLElement, anchor: HTMLElement): void {
  const at = anchor.getBoundingClientRect()
  const { width, height } = bubble.getBoundingClientRect()
  const left = Math.min(at.left + (at.width - width) / 2, document.documentElement.clientWidth - width - EDGE_PX)
  bubble.style.left = `${Math.max(EDGE_PX, left)}px`
  bubble.style.top = `${at.bottom + height > innerHeight ? at.top - height : at.bottom}px`
}

/** The one bubble and its clock. */
class Tooltip {
  private readonly bubble = makeBubble()
  private shown: HTMLElement | undefined
  private awaited: HTMLElement | undefined
  /** Its words were sent away: they come again once somebody has pointed elsewhere. */
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
    const [words] = this.bubble.children
    if (words) words.textContent = anchor.dataset['tooltip'] ?? ''
    // What lies outside an open dialog cannot be pointed at.
    const room = anchor.closest('dialog') ?? document.body
    room.append(this.bubble)
    this.bubble.showPopover?.()
    place(this.bubble, anchor)
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

/** Listens for the whole page, until what it returns is called. */
export function startTooltips(): () => void {
  const tooltip = new Tooltip()
  const stop = new AbortController()
  const listen = <K extends keyof DocumentEventMap>(type: K, listener: (event: DocumentEventMap[K]) => void) =>
    document.addEventListener(type, listener, { capture: true, signal: stop.signal })

  listen('pointerover', ({ target, pointerType }) => {
    // A finger points at nothing: it taps.
    if (pointerType === 'touch' || tooltip.isOver(target)) return
    const anchor = anchorOf(target)
    if (anchor) tooltip.point(anchor)
    else tooltip.leave()
  })
  listen('pointerout', ({ relatedTarget }) => {
    // Out of the window altogether.
    if (relatedTarget === null) tooltip.leave()
  })
  listen('focusin', ({ target }) => {
    const anchor = anchorOf(target)
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
