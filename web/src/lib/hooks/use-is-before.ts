import { useEffect, useState } from 'react'

/** False from `until` on (milliseconds). */
export function useIsBefore(until: number): boolean {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const timer = setTimeout(() => setNow(Date.now()), Math.max(0, until - Date.now()))
    return () => clearTimeout(timer)
  }, [until])
  return until > now
}
