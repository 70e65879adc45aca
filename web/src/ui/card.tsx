// A pane of smoked glass with an optional heading.
import type { ReactNode } from 'react'
import { classNames } from '@/lib/class-names'
import { Icon, type IconName } from './icon'

type CardProps = {
  title?: string
  icon?: IconName
  /** Stands at the right of the heading. */
  aside?: ReactNode
  children: ReactNode
  className?: string
}

export function Card({ title, icon, aside, children, className }: CardProps) {
  return (
    <section className={classNames('glass-card p-4 sm:p-5', className)}>
      {title && (
        <header className="mb-4 flex flex-wrap items-center justify-between gap-2">
          <h2 className="flex items-center gap-2 text-crew">
            {icon && <Icon name={icon} className="text-primary" />}
            {title}
          </h2>
          {aside}
        </header>
      )}
      {children}
    </section>
  )
}
