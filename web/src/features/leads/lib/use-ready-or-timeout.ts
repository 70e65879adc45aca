// Joint reveal of list and alerts, to avoid layout shifts.
import { useEffect, useState } from 'react'

/** Longest wait for accompanying data. */
const MAX_WAIT_MS = 300

/** Whether what belongs together may be shown: all of it is there, or has been waited for long enough. */
export function useReadyOrTimeout(isThere: boolean): boolean {
  const [isShown, setIsShown] = useState(isThere)
  if (isThere && !isShown) setIsShown(true)
  useEffect(() => {
    const timer = setTimeout(() => setIsShown(true), MAX_WAIT_MS)
    return () => clearTimeout(timer)
  }, [])
  return isShown || isThere
}
