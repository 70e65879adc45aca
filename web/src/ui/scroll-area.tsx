// Content that scrolls on its own inside a card or a dialog: reached and read by keyboard too.
import type { ReactNode } from 'react'
import { classNames } from '@/lib/class-names'

type ScrollAreaProps = { label: string; className: string; children: ReactNode }

// What scrolls and holds nothing to focus must be focusable itself, or arrow keys never reach its end (WCAG 2.1.1).
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
