// Joint reveal of screen parts, to avoid layout shifts.
import { startTransition, useEffect, useState } from 'react'

/** Longer than this nobody waits for the slowest. */
const MAX_WAIT_MS = 2000

/**
 * Whether all of them may be shown: each has an answer, or they were waited for long enough. It stays so. Drawing them
 * is much work for a slow phone: it is done in pieces between which the phone answers to the thumb.
 */
export function useReadyOrTimeout(isEachThere: boolean): boolean {
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
