// Says whether what is shown follows the world by itself.
import { formatTime } from '@/lib/format/date'
import { classNames } from '@/lib/class-names'
import { useOnline } from '@/lib/hooks/use-online'
import { useLiveState } from '@/lib/live-state'

const LOOKS = {
  live: { word: 'LIVE', ink: 'text-success', dot: 'bg-success glow' },
  connecting: { word: 'CONNECTING', ink: 'text-muted', dot: 'border border-muted' },
  offline: { word: 'OFFLINE', ink: 'text-warning', dot: 'border-2 border-warning' },
} as const

type LiveMarkProps = {
  /** When what is shown was fetched, an instant in milliseconds: said once it no longer follows by itself. */ updatedAt?: number
  timeZone?: string
}

export function LiveMark({ updatedAt = 0, timeZone }: LiveMarkProps) {
  const isOnline = useOnline()
  const state = useLiveState()
  const shown = !isOnline || state === 'lost' ? 'offline' : state
  const { word, ink, dot } = LOOKS[shown]
  return (
    <p
      role="status"
      aria-label="Live updates"
      className={classNames('flex items-center gap-2 text-caption font-semibold tracking-wide', ink)}
    >
      <span aria-hidden="true" className={classNames('size-2.5 shrink-0 rounded-full', dot)} />
      <span>
        {word}
        {shown === 'offline' && updatedAt > 0 && (
          <span className="font-normal tracking-normal"> – last updated {formatTime(updatedAt, timeZone)}</span>
        )}
      </span>
    </p>
  )
}
