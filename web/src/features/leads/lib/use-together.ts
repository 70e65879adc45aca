// What stands above a list comes with it, not after it: nothing moves under a thumb.
import { useEffect, useState } from 'react'

/** Longer than this nobody waits for what comes with it. */
const PATIENCE_MS = 300

/** Whether what belongs together may be shown: all of it is there, or has been waited for long enough. */
export function useTogether(isThere: boolean): boolean {
  const [isShown, setIsShown] = useState(isThere)
  if (isThere && !isShown) setIsShown(true)
  useEffect(() => {
    const timer = setTimeout(() => setIsShown(true), PATIENCE_MS)
    return () => clearTimeout(timer)
  }, [])
  return isShown || isThere
}
