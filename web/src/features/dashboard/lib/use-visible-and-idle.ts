// Signal to load expensive content: visible and idle.
import { type RefObject, useEffect, useRef, useState } from 'react'

/** Loaded before it is scrolled into view. */
const PRELOAD_MARGIN = '200px'
/** A busy page gets it all the same. */
const IDLE_TIMEOUT_MS = 2000

/** Safari knows no idle time: there it is the next free moment. */
function runWhenIdle(run: () => void): () => void {
  if (typeof globalThis.requestIdleCallback !== 'function') {
    const timer = setTimeout(run, 200)
    return () => clearTimeout(timer)
  }
  const handle = requestIdleCallback(run, { timeout: IDLE_TIMEOUT_MS })
  return () => cancelIdleCallback(handle)
}

/** A ref for the place, and whether its time has come; it stays so. */
export function useVisibleAndIdle<T extends Element>(): [RefObject<T | null>, boolean] {
  const place = useRef<T>(null)
  const [isSeen, setIsSeen] = useState(false)
  const [isIdle, setIsIdle] = useState(false)

  useEffect(() => {
    // Every browser we build for has it; what draws no page has nothing in sight.
    if (isSeen || !place.current || typeof IntersectionObserver === 'undefined') return
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) setIsSeen(true)
      },
      { rootMargin: PRELOAD_MARGIN },
    )
    observer.observe(place.current)
    return () => observer.disconnect()
  }, [isSeen])

  useEffect(() => (isSeen ? runWhenIdle(() => setIsIdle(true)) : undefined), [isSeen])
  return [place, isIdle]
}
