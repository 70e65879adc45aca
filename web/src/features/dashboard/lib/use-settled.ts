// Parts of a screen that come together: none pushes another away by coming later.
import { startTransition, useEffect, useState } from 'react'

/** Longer than this nobody waits for the slowest. */
const PATIENCE_MS = 2000

/**
 * Whether all of them may be shown: each has an answer, or they were waited for long enough. It stays so. Drawing them
 * is much work for a slow phone: it is done in pieces between which the phone answers to the thumb.
 */
export function useSettled(isEachThere: boolean): boolean {
  const [isSettled, setIsSettled] = useState(isEachThere)
  useEffect(() => {
    if (isEachThere) startTransition(() => setIsSettled(true))
  }, [isEachThere])
  useEffect(() => {
    const timer = setTimeout(() => setIsSettled(true), PATIENCE_MS)
    return () => clearTimeout(timer)
  }, [])
  return isSettled
}
