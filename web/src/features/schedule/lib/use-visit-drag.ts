// Drag by pointer events; touch starts after a long press, so that it can scroll.
import { type PointerEvent as ReactPointerEvent, useCallback, useEffect, useRef, useState } from 'react'
import { startEdgeScroll } from '@/lib/edge-scroll'
import type { Visit } from '../types'
import { parseZone, type DropZone } from './drop-target'

/** How long a finger rests before the visit is taken. */
const LONG_PRESS_MS = 300
/** Movement below this is no drag, in pixels. */
const DRAG_THRESHOLD_PX = 6

export type DragMode = 'move' | 'resize'
export type HeldVisit = { visit: Visit; mode: DragMode; grabbed: number }
export type VisitDrag = HeldVisit & { x: number; y: number; over: { zone: DropZone; share: number } | undefined }

type PendingDrag = HeldVisit & { x: number; y: number; isTouch: boolean; element: Element }

/** The place under the pointer, and how far into it. */
function findZone(x: number, y: number): VisitDrag['over'] {
  for (const element of document.elementsFromPoint(x, y)) {
    const place = element.closest<HTMLElement>('[data-drop]')
    const zone = parseZone(place?.dataset['drop'])
    if (!place || !zone) continue
    const box = place.getBoundingClientRect()
    return { zone, share: box.width === 0 ? 0 : (x - box.left) / box.width }
  }
  return undefined
}

function stopEvent(event: Event): void {
  event.preventDefault()
  event.stopPropagation()
}

/** What follows a drag is no tap. */
function preventNextClick(): void {
  globalThis.addEventListener('click', stopEvent, { capture: true, once: true })
  setTimeout(() => globalThis.removeEventListener('click', stopEvent, { capture: true }))
}

const preventTouchScroll = (event: Event) => event.preventDefault()

/** `take` belongs on what can be dragged; `onDrop` hears where it was let go. */
export function useVisitDrag(onDrop: (drag: VisitDrag) => void) {
  const [drag, setDrag] = useState<VisitDrag>()
  const stop = useRef<() => void>(undefined)
  useEffect(() => () => stop.current?.(), [])

  const take = useCallback(
    (event: ReactPointerEvent, held: HeldVisit) => {
      if (event.button !== 0 || stop.current) return
      const taking: PendingDrag = {
        ...held,
        x: event.clientX,
        y: event.clientY,
        isTouch: event.pointerType === 'touch',
        element: event.currentTarget,
      }
      stop.current = trackPointer(taking, setDrag, onDrop, () => {
        stop.current = undefined
      })
    },
    [onDrop],
  )

  return { drag, take }
}

/** Follows one pointer until it is let go. Returns how to stop. */
function trackPointer(
  taking: PendingDrag,
  show: (drag: VisitDrag | undefined) => void,
  onDrop: (drag: VisitDrag) => void,
  onEnd: () => void,
): () => void {
  const { visit, mode, grabbed } = taking
  let current: VisitDrag | undefined
  const begin = (x: number, y: number) => {
    current = { visit, mode, grabbed, x, y, over: findZone(x, y) }
    show(current)
  }
  const hold = taking.isTouch ? setTimeout(() => begin(taking.x, taking.y), LONG_PRESS_MS) : undefined

  const move = (event: PointerEvent) => {
    const isFar = Math.hypot(event.clientX - taking.x, event.clientY - taking.y) > DRAG_THRESHOLD_PX
    if (current) begin(event.clientX, event.clientY)
    else if (isFar && taking.isTouch) end()
    else if (isFar) begin(event.clientX, event.clientY)
  }
  const drop = () => {
    const dropped = current
    end()
    if (!dropped) return
    preventNextClick()
    onDrop(dropped)
  }
  const escape = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || !current) return
    event.stopPropagation()
    end()
    preventNextClick()
  }
  // Once a visit is taken the page holds still under the finger.
  const still = (event: TouchEvent) => {
    if (current) event.preventDefault()
  }
  const listeners = new AbortController()
  const { signal } = listeners
  signal.addEventListener(
    'abort',
    startEdgeScroll(
      taking.element,
      () => current,
      () => current && begin(current.x, current.y),
    ),
  )
  function end(): void {
    clearTimeout(hold)
    listeners.abort()
    current = undefined
    show(undefined)
    onEnd()
  }
  globalThis.addEventListener('pointermove', move, { signal })
  globalThis.addEventListener('pointerup', drop, { signal })
  globalThis.addEventListener('pointercancel', end, { signal })
  globalThis.addEventListener('keydown', escape, { signal, capture: true })
  globalThis.addEventListener('touchmove', still, { signal, passive: false })
  globalThis.addEventListener('contextmenu', preventTouchScroll, { signal })
  globalThis.addEventListener('selectstart', preventTouchScroll, { signal })
  return end
}
