// Live, connecting or offline indicator.
import { formatTime } from '@/lib/format/date'
import { classNames } from '@/lib/class-names'
import { useOnline } from '@/lib/hooks/use-online'
import { t } from '@/lib/i18n'
import { useLiveState } from '@/lib/live-state'

const STATE_DISPLAYS = {
  live: { word: t('LIVE'), textClass: 'text-success', dot: 'bg-success glow' },
  connecting: { word: t('CONNECTING'), textClass: 'text-muted', dot: 'border border-muted' },
  offline: { word: t('OFFLINE'), textClass: 'text-warning', dot: 'border-2 border-warning' },
} as const

type LiveIndicatorProps = {
  /** Fetch time in milliseconds, shown while not live. */ updatedAt?: number
  timeZone?: string
}

export function LiveIndicator({ updatedAt = 0, timeZone }: LiveIndicatorProps) {
  const isOnline = useOnline()
  const state = useLiveState()
  const shown = !isOnline || state === 'lost' ? 'offline' : state
  const { word, textClass, dot } = STATE_DISPLAYS[shown]
  return (
    <p
      role="status"
      aria-label={t('Live updates')}
      className={classNames('flex items-center gap-2 text-caption font-semibold tracking-wide', textClass)}
    >
      <span aria-hidden="true" className={classNames('size-2.5 shrink-0 rounded-full', dot)} />
      <span>
        {word}
        {shown === 'offline' && updatedAt > 0 && (
          <span className="font-normal tracking-normal">
            {' '}
            {t('– last updated {time}', { time: formatTime(updatedAt, timeZone) })}
          </span>
        )}
      </span>
    </p>
  )
}
