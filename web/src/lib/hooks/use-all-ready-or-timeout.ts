// Joint reveal of screen parts, to avoid layout shifts.
import { startTransition, useEffect, useState } from 'react'

/** Longest wait for the slowest request. */
const MAX_WAIT_MS = 2000

/**
 * Whether all of them may be shown: each has a response, or the wait is over. It stays true. Rendering them
 * is a transition, so that a slow phone stays responsive.
 */
export function useAllReadyOrTimeout(isEachThere: boolean): boolean {
  const [isSettled, setIsSettled] = useState(isEachThere)
  useEffect(() => {
    if (isEachThere) startTransition(() => setIsSettled(true))
  }, [isEachThere])
  useEffect(() => {
    const timer = setTimeout(() => setIsSettled(true), MAX_WAIT_MS)
    return () => clearTimeout(timer)
  }, [])
  return isSettled
}
