// Whether a moment is still to come, for what can be taken back only for a while.
import { useEffect, useState } from 'react'

/** False from `until` on, an instant in milliseconds. */
export function useUntil(until: number): boolean {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const timer = setTimeout(() => setNow(Date.now()), Math.max(0, until - Date.now()))
    return () => clearTimeout(timer)
  }, [until])
  return until > now
}
