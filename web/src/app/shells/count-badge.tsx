// How many of something wait, in the corner of what leads to them.
import { classNames } from '@/lib/class-names'

const MOST_SHOWN = 99
const TONES = { secondary: 'bg-secondary text-secondary-content', error: 'bg-error text-error-content' } as const

type CountBadgeProps = {
  count: number
  tone: keyof typeof TONES
  /** For who hears the screen; nothing where it is said elsewhere. */ words?: string
  className?: string | undefined
}

export function CountBadge({ count, tone, words, className }: CountBadgeProps) {
  return (
    <span
      aria-hidden={words === undefined || undefined}
      className={classNames(
        'grid h-5 min-w-5 place-items-center rounded-full px-1 text-[12px] leading-none font-semibold tabular-nums',
        TONES[tone],
        className,
      )}
    >
      {count > MOST_SHOWN ? `${MOST_SHOWN}+` : count}
      {words !== undefined && <span className="sr-only"> {words}</span>}
    </span>
  )
}
