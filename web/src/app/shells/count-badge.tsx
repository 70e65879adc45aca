// Count badge.
import { classNames } from '@/lib/class-names'

const MAX_SHOWN = 99
const TONES = { secondary: 'bg-secondary text-secondary-content', error: 'bg-error text-error-content' } as const

type CountBadgeProps = {
  count: number
  tone: keyof typeof TONES
  /** Text for screen readers; omitted where stated elsewhere. */ accessibleLabel?: string
  className?: string | undefined
}

export function CountBadge({ count, tone, accessibleLabel, className }: CountBadgeProps) {
  return (
    <span
      aria-hidden={accessibleLabel === undefined || undefined}
      className={classNames(
        'grid h-5 min-w-5 place-items-center rounded-full px-1 text-nav leading-none font-semibold tabular-nums',
        TONES[tone],
        className,
      )}
    >
      {count > MAX_SHOWN ? `${MAX_SHOWN}+` : count}
      {accessibleLabel !== undefined && <span className="sr-only"> {accessibleLabel}</span>}
    </span>
  )
}
