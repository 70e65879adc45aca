// Inline message.
import type { ReactNode } from 'react'
import { classNames } from '@/lib/class-names'
import { Icon, type IconName } from './icon'

type NoticeTone = 'info' | 'success' | 'warning' | 'error'

const TONES = {
  info: { boxClass: 'border-info/45 bg-info/8', textClass: 'text-info', icon: 'info' },
  success: { boxClass: 'border-success/45 bg-success/8', textClass: 'text-success', icon: 'check-circle' },
  warning: { boxClass: 'border-warning/45 bg-warning/8', textClass: 'text-warning', icon: 'alert' },
  error: { boxClass: 'border-error/45 bg-error/8', textClass: 'text-error', icon: 'alert' },
} as const satisfies Record<NoticeTone, { boxClass: string; textClass: string; icon: IconName }>

type NoticeProps = { tone: NoticeTone; title: string; icon?: IconName; children?: ReactNode; className?: string }

export function Notice({ tone, title, icon, children, className }: NoticeProps) {
  const { boxClass, textClass, icon: usual } = TONES[tone]
  return (
    <div
      role={tone === 'error' ? 'alert' : 'status'}
      className={classNames('flex gap-3 rounded-field border p-3', boxClass, className)}
    >
      <Icon name={icon ?? usual} className={classNames('mt-0.5', textClass)} />
      <div className="min-w-0 flex-1">
        <p className={classNames('font-semibold', textClass)}>{title}</p>
        {children && <div className="text-note text-base-content">{children}</div>}
      </div>
    </div>
  )
}
