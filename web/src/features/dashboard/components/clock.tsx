// Business clock; a component of its own to limit re-renders.
import { formatClock } from '@/lib/format/date'
import { useNow } from '@/lib/hooks/use-now'

const SECOND_MS = 1000

/** No live region: screen readers would announce each second. */
export function Clock({ timeZone }: { timeZone: string }) {
  const now = useNow(SECOND_MS)
  return (
    <time dateTime={new Date(now).toISOString()} className="font-semibold tabular-nums">
      {formatClock(now, timeZone)}
    </time>
  )
}
