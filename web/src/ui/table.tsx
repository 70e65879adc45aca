// Table with horizontal scrolling and aligned numbers.
import type { ReactNode } from 'react'
import { classNames } from '@/lib/class-names'

type Column = { key: string; label: string; numeric?: boolean; hiddenLabel?: boolean }

type TableProps = {
  caption: string
  columns: readonly Column[]
  children: ReactNode
  className?: string
  /** No focusable rows: the pane itself is focusable (WCAG 2.1.1). */
  hasNoLinks?: boolean
}

/** `children` are `<tr>` rows. The caption is for screen readers. */
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
