// A message that stays on the page, beside what it is about.
import type { ReactNode } from 'react'
import { classNames } from '@/lib/class-names'
import { Icon, type IconName } from './icon'

type NoticeTone = 'info' | 'success' | 'warning' | 'error'

const TONES = {
  info: { box: 'border-info/45 bg-info/8', ink: 'text-info', icon: 'info' },
  success: { box: 'border-success/45 bg-success/8', ink: 'text-success', icon: 'check-circle' },
  warning: { box: 'border-warning/45 bg-warning/8', ink: 'text-warning', icon: 'alert' },
  error: { box: 'border-error/45 bg-error/8', ink: 'text-error', icon: 'alert' },
} as const satisfies Record<NoticeTone, { box: string; ink: string; icon: IconName }>

type NoticeProps = { tone: NoticeTone; title: string; icon?: IconName; children?: ReactNode; className?: string }

export function Notice({ tone, title, icon, children, className }: NoticeProps) {
  const { box, ink, icon: usual } = TONES[tone]
  return (
    <div
      role={tone === 'error' ? 'alert' : 'status'}
      className={classNames('flex gap-3 rounded-field border p-3', box, className)}
    >
      <Icon name={icon ?? usual} className={classNames('mt-0.5', ink)} />
      <div className="min-w-0 flex-1">
        <p className={classNames('font-semibold', ink)}>{title}</p>
        {children && <div className="text-note text-base-content">{children}</div>}
      </div>
    </div>
  )
}
