// A state as colour, icon and word together.
import type { ReactNode } from 'react'
import type { Tone } from '@/domain/tone'
import { classNames } from '@/lib/class-names'
import { Icon, type IconName } from './icon'

const TONES = {
  neutral: 'border-muted/40 bg-muted/8 text-muted',
  info: 'border-info/40 bg-info/8 text-info',
  accent: 'border-accent/40 bg-accent/8 text-accent',
  warning: 'border-warning/40 bg-warning/8 text-warning',
  secondary: 'border-secondary/40 bg-secondary/8 text-secondary',
  success: 'border-success/40 bg-success/8 text-success',
  error: 'border-error/40 bg-error/8 text-error',
} as const satisfies Record<Tone, string>

type BadgeProps = { tone: Tone; icon: IconName; children: ReactNode; className?: string }

export function Badge({ tone, icon, children, className }: BadgeProps) {
  return (
    <span
      className={classNames(
        'inline-flex min-h-7 items-center gap-1.5 rounded-full border px-2.5 py-0.5 text-caption font-semibold',
        TONES[tone],
        className,
      )}
    >
      <Icon name={icon} className="size-4" />
      {children}
    </span>
  )
}
