// Says whether what is shown follows the world by itself.
import { classNames } from '@/lib/class-names'
import { useOnline } from '@/lib/hooks/use-online'
import { useLiveState } from './live-state'

const LOOKS = {
  live: { word: 'LIVE', ink: 'text-success', dot: 'bg-success glow' },
  connecting: { word: 'CONNECTING', ink: 'text-muted', dot: 'border border-muted' },
  offline: { word: 'OFFLINE', ink: 'text-warning', dot: 'border-2 border-warning' },
} as const

export function LiveMark() {
  const isOnline = useOnline()
  const state = useLiveState()
  const { word, ink, dot } = LOOKS[!isOnline || state === 'lost' ? 'offline' : state]
  return (
    <p role="status" aria-label="Live updates" className={classNames('flex items-center gap-2 text-caption font-semibold tracking-wide', ink)}>
      <span aria-hidden="true" className={classNames('size-2.5 rounded-full', dot)} />
      {word}
    </p>
  )
}
