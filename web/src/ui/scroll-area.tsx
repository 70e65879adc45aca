import type { ReactNode } from 'react'
import { classNames } from '@/lib/class-names'

type ScrollAreaProps = { label: string; className: string; children: ReactNode }

// Focusable where it holds no focusable content (WCAG 2.1.1).
export function ScrollArea({ label, className, children }: ScrollAreaProps) {
  return (
    <div
      role="region"
      aria-label={label}
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it is focused to be scrolled, not to be pressed
      tabIndex={0}
      className={classNames('overflow-y-auto rounded-field', className)}
    >
      {children}
    </div>
  )
}
