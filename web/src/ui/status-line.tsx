// State as a sentence with tone and icon.
import type { ReactNode } from 'react'
import type { Tone } from '@/domain/tone'
import { classNames } from '@/lib/class-names'
import { Icon, type IconName } from './icon'

const TONE_CLASSES = {
  neutral: 'text-muted',
  info: 'text-info',
  accent: 'text-accent',
  warning: 'text-warning',
  secondary: 'text-secondary',
  success: 'text-success',
  error: 'text-error',
} as const satisfies Record<Tone, string>

type StatusLineProps = {
  tone: Tone
  icon: IconName
  children: ReactNode
  className?: string
  /** One of several lines, without emphasis. */ plain?: boolean
}

export function StatusLine({ tone, icon, children, className, plain = false }: StatusLineProps) {
  return (
    <span
      className={classNames(
        'flex items-start gap-1.5 text-note',
        !plain && 'font-semibold',
        TONE_CLASSES[tone],
        className,
      )}
    >
      <Icon name={icon} className="mt-0.5 size-4" />
      <span className="min-w-0 wrap-anywhere first-letter:uppercase">{children}</span>
    </span>
  )
}
