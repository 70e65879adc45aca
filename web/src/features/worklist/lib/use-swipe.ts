// Swipe of a row by touch: right and left.
import { type MouseEvent, type PointerEvent, useRef, useState } from 'react'

export const SWIPE_DISTANCE_PX = 88
/** Less is a tap, or the start of a scroll. */
const SLOP_PX = 12
/** The row follows no further. */
const FARTHEST_PX = 140

type SwipeOptions = { onRight: () => void; onLeft: () => void; isOff: boolean }

export function useSwipe({ onRight, onLeft, isOff }: SwipeOptions) {
  const start = useRef<{ x: number; y: number }>(undefined)
  const hasMoved = useRef(false)
  const [offset, setOffset] = useState(0)
  const release = () => {
    start.current = undefined
    setOffset(0)
  }
  const handlers = {
    onPointerDown: ({ pointerType, clientX, clientY }: PointerEvent) => {
      hasMoved.current = false
      // A mouse selects text.
      if (!isOff && pointerType !== 'mouse') start.current = { x: clientX, y: clientY }
    },
    onPointerMove: ({ clientX, clientY }: PointerEvent) => {
      if (!start.current) return
      const [x, y] = [clientX - start.current.x, clientY - start.current.y]
      if (!hasMoved.current && Math.abs(y) > SLOP_PX) return release()
      if (!hasMoved.current && Math.abs(x) <= SLOP_PX) return
      hasMoved.current = true
      setOffset(Math.max(-FARTHEST_PX, Math.min(FARTHEST_PX, x)))
    },
    onPointerUp: () => {
      const reached = offset
      release()
      if (reached >= SWIPE_DISTANCE_PX) onRight()
      if (reached <= -SWIPE_DISTANCE_PX) onLeft()
    },
    onPointerCancel: release,
    /** The tap that ends a swipe is none. */
    onClickCapture: (event: MouseEvent) => {
      if (!hasMoved.current) return
      hasMoved.current = false
      event.preventDefault()
      event.stopPropagation()
    },
  }
  return { offset, handlers }
}
