// Deferred rendering of heavy content.
import { startTransition, useEffect, useState } from 'react'

/** False on mount, true after the first paint, set in a transition. */
export function useDeferredMount(): boolean {
  const [isLater, setIsLater] = useState(false)
  useEffect(() => startTransition(() => setIsLater(true)), [])
  return isLater
}
