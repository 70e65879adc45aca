// Figure linked to its rows, with an accessible name.
import type { ReactNode } from 'react'
import { Link } from 'react-router-dom'
import { classNames } from '@/lib/class-names'

type FigureLinkProps = {
  /** Where its rows are, as the server says. */
  rows: string
  /** What it counts and over which days, for readers of the screen. */
  of: string
  /** The exact figure, where the one shown is rounded. */
  exact?: string | undefined
  /** The whole pane around it is its target. */
  fills?: boolean
  className?: string
  children: ReactNode
}

export function FigureLink({ rows, of, exact, fills = false, className, children }: FigureLinkProps) {
  return (
    <Link
      to={rows}
      title={exact}
      className={classNames(
        'rounded-field hover:underline',
        fills && 'inline-block min-w-6 after:absolute after:inset-0 after:rounded-box focus-visible:after:outline-2',
        className,
      )}
    >
      {exact ? (
        <>
          <span aria-hidden="true">{children}</span>
          <span className="sr-only">{exact}</span>
        </>
      ) : (
        children
      )}{' '}
      <span className="sr-only">{of}</span>
    </Link>
  )
}

type FigureRowProps = { label: ReactNode; rows: string; of: string; exact?: string | undefined; children: ReactNode }

/** A figure in a list of several: its name at the left, itself at the right, the whole line its target. */
export function FigureRow({ label, rows, of, exact, children }: FigureRowProps) {
  return (
    <div className="relative -mx-2 flex min-h-11 items-center justify-between gap-3 rounded-field px-2 py-0.5 hover:bg-primary/8 lg:min-h-10">
      <dt className="text-note text-muted">{label}</dt>
      <dd className="text-right font-semibold tabular-nums">
        <FigureLink rows={rows} of={of} exact={exact} fills>
          {children}
        </FigureLink>
      </dd>
    </div>
  )
}
