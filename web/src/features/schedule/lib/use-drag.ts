// Dragging by pointer events: a mouse takes a visit at once, a finger after a moment, so that it can still scroll.
import { type PointerEvent as ReactPointerEvent, useCallback, useEffect, useRef, useState } from 'react'
import { scrollAtEdges } from '@/lib/edge-scroll'
import type { Visit } from '../types'
import { readZone, type Zone } from './drop'

/** How long a finger rests before the visit is taken. */
const HOLD_MS = 300
/** A hand trembles so far, in pixels. */
const SLOP = 6

export type Mode = 'move' | 'resize'
export type Held = { visit: Visit; mode: Mode; grabbed: number }
export type Drag = Held & { x: number; y: number; over: { zone: Zone; share: number } | undefined }

type Taking = Held & { x: number; y: number; isTouch: boolean; element: Element }

/** The place under the pointer, and how far into it. */
function zoneAt(x: number, y: number): Drag['over'] {
  for (const element of document.elementsFromPoint(x, y)) {
    const place = element.closest<HTMLElement>('[data-drop]')
    const zone = readZone(place?.dataset['drop'])
    if (!place || !zone) continue
    const box = place.getBoundingClientRect()
    return { zone, share: box.width === 0 ? 0 : (x - box.left) / box.width }
  }
  return undefined
}

function swallow(event: Event): void {
  event.preventDefault()
  event.stopPropagation()
}

/** What follows a drag is no tap. */
function swallowClick(): void {
  globalThis.addEventListener('click', swallow, { capture: true, once: true })
  setTimeout(() => globalThis.removeEventListener('click', swallow, { capture: true }))
}

const holdStill = (event: Event) => event.preventDefault()

/** `take` belongs on what can be dragged; `onDrop` hears where it was let go. */
export function useDrag(onDrop: (drag: Drag) => void) {
  const [drag, setDrag] = useState<Drag>()
  const stop = useRef<() => void>(undefined)
  useEffect(() => () => stop.current?.(), [])

  const take = useCallback(
    (event: ReactPointerEvent, held: Held) => {
      if (event.button !== 0 || stop.current) return
      const taking: Taking = {
        ...held,
        x: event.clientX,
        y: event.clientY,
        isTouch: event.pointerType === 'touch',
        element: event.currentTarget,
      }
      stop.current = follow(taking, setDrag, onDrop, () => {
        stop.current = undefined
      })
    },
    [onDrop],
  )

  return { drag, take }
}

/** Follows one pointer until it is let go. Returns how to stop. */
function follow(
  taking: Taking,
  show: (drag: Drag | undefined) => void,
  onDrop: (drag: Drag) => void,
  onEnd: () => void,
): () => void {
  const { visit, mode, grabbed } = taking
  let current: Drag | undefined
  const begin = (x: number, y: number) => {
    current = { visit, mode, grabbed, x, y, over: zoneAt(x, y) }
    show(current)
  }
  const hold = taking.isTouch ? setTimeout(() => begin(taking.x, taking.y), HOLD_MS) : undefined

  const move = (event: PointerEvent) => {
    const isFar = Math.hypot(event.clientX - taking.x, event.clientY - taking.y) > SLOP
    if (current) begin(event.clientX, event.clientY)
    else if (isFar && taking.isTouch) end()
    else if (isFar) begin(event.clientX, event.clientY)
  }
  const drop = () => {
    const dropped = current
    end()
    if (!dropped) return
    swallowClick()
    onDrop(dropped)
  }
  const escape = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || !current) return
    event.stopPropagation()
    end()
    swallowClick()
  }
  // Once a visit is taken the page holds still under the finger.
  const still = (event: TouchEvent) => {
    if (current) event.preventDefault()
  }
  const listeners = new AbortController()
  const { signal } = listeners
  signal.addEventListener(
    'abort',
    scrollAtEdges(
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
  globalThis.addEventListener('contextmenu', holdStill, { signal })
  globalThis.addEventListener('selectstart', holdStill, { signal })
  return end
}
