// Drag by mouse or pen; touch scrolls and uses the menu.
import { type PointerEvent as ReactPointerEvent, useEffect, useRef, useState } from 'react'
import { LEAD_STAGE_ORDER, type LeadStage, type LeadSummary } from '@/domain/lead'
import { startEdgeScroll } from '@/lib/edge-scroll'

/** Shorter movements count as a click. */
const DRAG_THRESHOLD_PX = 6

export type LeadDrag = { lead: LeadSummary; x: number; y: number; over: LeadStage | undefined }

/** The column at a point of the screen. */
function stageAt(x: number, y: number): LeadStage | undefined {
  const name = document.elementFromPoint(x, y)?.closest('[data-stage]')?.getAttribute('data-stage')
  return LEAD_STAGE_ORDER.find((stage) => stage === name)
}

function stopEvent(event: Event): void {
  event.preventDefault()
  event.stopPropagation()
}

/** The click that ends a drag opens nothing. */
function preventNextClick(): void {
  globalThis.addEventListener('click', stopEvent, { capture: true, once: true })
  setTimeout(() => globalThis.removeEventListener('click', stopEvent, { capture: true }))
}

/** `start` is the handler of a card; `drag` is the dragged lead and the column under it. */
export function useLeadDrag(onDrop: (lead: LeadSummary, to: LeadStage) => void) {
  const [drag, setDrag] = useState<LeadDrag>()
  const running = useRef<AbortController>(undefined)
  const drop = useRef(onDrop)
  useEffect(() => {
    drop.current = onDrop
  })
  useEffect(() => () => running.current?.abort(), [])

  const start = (event: ReactPointerEvent, lead: LeadSummary) => {
    const isOnControl = event.target instanceof Element && event.target.closest('button') !== null
    if (event.button !== 0 || event.pointerType === 'touch' || isOnControl) return
    const { clientX, clientY } = event
    let inTheAir: { x: number; y: number } | undefined
    running.current?.abort()
    const gone = new AbortController()
    running.current = gone
    const { signal } = gone
    const show = (x: number, y: number) => {
      inTheAir = { x, y }
      setDrag({ lead, x, y, over: stageAt(x, y) })
    }
    // What scrolls beneath the card puts another column there.
    signal.addEventListener(
      'abort',
      startEdgeScroll(
        event.currentTarget,
        () => inTheAir,
        () => inTheAir && show(inTheAir.x, inTheAir.y),
      ),
    )
    const end = () => {
      gone.abort()
      setDrag(undefined)
    }
    const listen = <Name extends 'pointermove' | 'pointerup' | 'pointercancel' | 'keydown'>(
      name: Name,
      then: (event: GlobalEventHandlersEventMap[Name]) => void,
    ) => {
      globalThis.addEventListener(name, then as EventListener, { signal })
    }
    listen('pointermove', ({ clientX: x, clientY: y }) => {
      if (inTheAir || Math.hypot(x - clientX, y - clientY) >= DRAG_THRESHOLD_PX) show(x, y)
    })
    listen('pointerup', ({ clientX: x, clientY: y }) => {
      end()
      if (!inTheAir) return
      preventNextClick()
      const to = stageAt(x, y)
      if (to && to !== lead.stage) drop.current(lead, to)
    })
    listen('pointercancel', end)
    listen('keydown', ({ key }) => {
      if (key === 'Escape') end()
    })
  }
  return { drag, start }
}
