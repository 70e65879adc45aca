// Alerts of one cause in one line, with its alerts on demand.
import { type ReactNode, useState } from 'react'
import { classNames } from '@/lib/class-names'
import { Icon } from '@/ui/icon'
import { leadsMessages } from '../messages'
import { MarkSeenButton } from './mark-seen-button'

type AlertGroupRowProps = { title: string; isUrgent: boolean; ids: readonly string[]; children: ReactNode }

export function AlertGroupRow({ title, isUrgent, ids, children }: AlertGroupRowProps) {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <li>
      <div className={classNames('flex flex-wrap items-center', isUrgent && 'bg-error/8')}>
        <button
          type="button"
          aria-expanded={isOpen}
          onClick={() => setIsOpen(!isOpen)}
          className={classNames(
            'flex min-h-11 min-w-0 flex-1 items-center gap-3 px-3 text-left font-semibold -outline-offset-2! hover:bg-primary/5',
            isUrgent && 'text-error',
          )}
        >
          <Icon
            name="chevron-down"
            className={classNames('size-4 transition-transform duration-[120ms]', isOpen && 'rotate-180')}
          />
          <span className="min-w-0 wrap-anywhere tabular-nums">{title}</span>
        </button>
        <MarkSeenButton ids={ids} urgent={isUrgent ? ids.length : 0} label={leadsMessages.alerts.markGroup} />
      </div>
      {isOpen && <ul className="divide-y divide-primary/15 border-t border-primary/15 pl-3">{children}</ul>}
    </li>
  )
}
