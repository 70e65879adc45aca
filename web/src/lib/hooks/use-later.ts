// Screens that are much work to draw: they come in steps, and between them a slow phone answers to the thumb.
import { startTransition, useEffect, useState } from 'react'

/** False when something first stands, true once that has been painted: what is drawn then is drawn in pieces. */
export function useLater(): boolean {
  const [isLater, setIsLater] = useState(false)
  useEffect(() => startTransition(() => setIsLater(true)), [])
  return isLater
}
