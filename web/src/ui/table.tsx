// A table that scrolls inside its own pane; numbers align.
import type { ReactNode } from 'react'
import { classNames } from '@/lib/class-names'

type Column = { key: string; label: string; numeric?: boolean; hiddenLabel?: boolean }

type TableProps = {
  caption: string
  columns: readonly Column[]
  children: ReactNode
  className?: string
  /** Nothing in the rows takes the focus: then the pane does, or arrow keys never reach its end (WCAG 2.1.1). */
  hasNoLinks?: boolean
}

/** `children` are the rows (`<tr>`). The caption is read aloud, not shown. */
export function Table({ caption, columns, children, className, hasNoLinks = false }: TableProps) {
  const reached = hasNoLinks ? { role: 'region', 'aria-label': caption, tabIndex: 0 } : {}
  return (
    <div className={classNames('overflow-x-auto', className)} {...reached}>
      <table className="table w-full tabular-nums">
        <caption className="sr-only">{caption}</caption>
        <thead className="text-caption text-muted">
          <tr>
            {columns.map(({ key, label, numeric, hiddenLabel }) => (
              <th key={key} scope="col" className={numeric ? 'text-right' : undefined}>
                {hiddenLabel ? <span className="sr-only">{label}</span> : label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  )
}
