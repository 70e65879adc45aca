// When something dear may be loaded: once its place has come into sight, and the browser has nothing better to do.
import { type RefObject, useEffect, useRef, useState } from 'react'

/** Loaded before it is in sight, so that it stands there when it is. */
const AHEAD = '200px'
/** A busy page gets it all the same. */
const AT_LATEST_MS = 2000

/** Safari knows no idle time: there it is the next free moment. */
function whenIdle(run: () => void): () => void {
  if (typeof globalThis.requestIdleCallback !== 'function') {
    const timer = setTimeout(run, 200)
    return () => clearTimeout(timer)
  }
  const handle = requestIdleCallback(run, { timeout: AT_LATEST_MS })
  return () => cancelIdleCallback(handle)
}

/** A ref for the place, and whether its time has come; it stays so. */
export function useSeenAndIdle<T extends Element>(): [RefObject<T | null>, boolean] {
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
      { rootMargin: AHEAD },
    )
    observer.observe(place.current)
    return () => observer.disconnect()
  }, [isSeen])

  useEffect(() => (isSeen ? whenIdle(() => setIsIdle(true)) : undefined), [isSeen])
  return [place, isIdle]
}
