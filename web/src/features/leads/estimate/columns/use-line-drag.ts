// Drag of a line by its handle: mouse, pen and finger. The handle's arrow keys do the same.
import { type PointerEvent as ReactPointerEvent, useEffect, useRef, useState } from 'react'
import { startEdgeScroll } from '@/lib/edge-scroll'
import type { LinePlace } from './option-structure'

/** Shorter movements count as a press. */
const DRAG_THRESHOLD_PX = 6

/** `before` is the id of the line under which nothing changes; undefined puts it last. */
export type DropTarget = { column: string; before: string | undefined }
export type LineDrag = { line: LinePlace; over: DropTarget | undefined }

/** The place at a point of the screen. */
export function findDropTarget(hit: Element | null, y: number): DropTarget | undefined {
  const column = hit?.closest<HTMLElement>('[data-column]')
  const name = column?.dataset['column']
  if (!column || name === undefined) return undefined
  const next = [...column.querySelectorAll<HTMLElement>('[data-line]')].find((line) => {
    const { top, height } = line.getBoundingClientRect()
    return y < top + height / 2
  })
  return { column: name, before: next?.dataset['line'] }
}

type Point = { x: number; y: number }
const targetAt = ({ x, y }: Point) => findDropTarget(document.elementFromPoint(x, y), y)

const isSame = (a: DropTarget | undefined, b: DropTarget | undefined) =>
  a?.column === b?.column && a?.before === b?.before

export type LineDragging = ReturnType<typeof useLineDrag>

export function useLineDrag(onDrop: (line: LinePlace, target: DropTarget) => void) {
  const [drag, setDrag] = useState<LineDrag>()
  const running = useRef<AbortController>(undefined)
  const drop = useRef(onDrop)
  useEffect(() => {
    drop.current = onDrop
  })
  useEffect(() => () => running.current?.abort(), [])

  const start = (event: ReactPointerEvent, line: LinePlace) => {
    if (event.button !== 0) return
    const { clientX, clientY } = event
    let point: Point | undefined
    running.current?.abort()
    const gone = new AbortController()
    running.current = gone
    const { signal } = gone
    const show = (at: Point) => {
      point = at
      const over = targetAt(at)
      setDrag((shown) => (shown && isSame(shown.over, over) ? shown : { line, over }))
    }
    // What scrolls beneath the pointer puts another line there.
    signal.addEventListener(
      'abort',
      startEdgeScroll(
        event.currentTarget,
        () => point,
        () => point && show(point),
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
      globalThis.addEventListener(name, then as EventListener, { signal, capture: true })
    }
    listen('pointermove', ({ clientX: x, clientY: y }) => {
      if (point || Math.hypot(x - clientX, y - clientY) >= DRAG_THRESHOLD_PX) show({ x, y })
    })
    listen('pointerup', ({ clientX: x, clientY: y }) => {
      end()
      const target = point && targetAt({ x, y })
      if (target && target.before !== line.id) drop.current(line, target)
    })
    listen('pointercancel', end)
    listen('keydown', (pressed) => {
      if (pressed.key !== 'Escape') return
      // It ends the drag, not the dialog.
      pressed.preventDefault()
      pressed.stopPropagation()
      end()
    })
  }
  return { drag, start }
}
