// A state in a sentence: tone and icon beside words that may need more than one line.
import type { ReactNode } from 'react'
import type { Tone } from '@/domain/tone'
import { classNames } from '@/lib/class-names'
import { Icon, type IconName } from './icon'

const INKS = {
  neutral: 'text-muted',
  info: 'text-info',
  accent: 'text-accent',
  warning: 'text-warning',
  secondary: 'text-secondary',
  success: 'text-success',
  error: 'text-error',
} as const satisfies Record<Tone, string>

type StateLineProps = {
  tone: Tone
  icon: IconName
  children: ReactNode
  className?: string
  /** One of several lines: none of them stands out. */ plain?: boolean
}

export function StateLine({ tone, icon, children, className, plain = false }: StateLineProps) {
  return (
    <span
      className={classNames('flex items-start gap-1.5 text-note', !plain && 'font-semibold', INKS[tone], className)}
    >
      <Icon name={icon} className="mt-0.5 size-4" />
      <span className="min-w-0 wrap-anywhere first-letter:uppercase">{children}</span>
    </span>
  )
}
