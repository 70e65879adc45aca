// Nothing here: what it is, why, and the one thing to do about it.
import type { ReactNode } from 'react'
import { Icon, type IconName } from './icon'

type EmptyStateProps = { icon: IconName; title: string; children?: ReactNode; action?: ReactNode; headingLevel?: 1 | 2 }

export function EmptyState({ icon, title, children, action, headingLevel = 2 }: EmptyStateProps) {
  const Heading = `h${headingLevel}` as const
  return (
    <div className="mx-auto flex max-w-md flex-col items-center gap-3 px-4 py-12 text-center">
      <span className="grid size-16 place-items-center rounded-full border border-primary/30 bg-primary/8 text-primary">
        <Icon name={icon} className="size-8" />
      </span>
      <Heading className="text-section">{title}</Heading>
      {children && <div className="text-muted">{children}</div>}
      {action && <div className="mt-2">{action}</div>}
    </div>
  )
}
