// Figure tile; the comparison has a link of its own.
import type { ReactNode } from 'react'
import { classNames } from '@/lib/class-names'
import { Icon, type IconName } from '@/ui/icon'
import { FigureLink } from './figure-link'

export const PANEL_GRID = 'grid grid-cols-[minmax(0,1fr)] gap-3 @min-[38rem]:grid-cols-2'
export const TILE_GRID = 'grid grid-cols-2 gap-3 @min-[44rem]:grid-cols-4'

type TileProps = {
  title: string
  icon: IconName
  iconClass: string
  value: string
  rows: string
  of: string
  exact?: string | undefined
  /** What is to be known of the figure. */
  mark?: ReactNode
  /** Under the figure: the days it is about. */
  span: string
  /** What it is compared with. */
  below?: ReactNode
  /** Its shape over the days; a phone has no room for it. */
  shape?: ReactNode
}

export function Tile({ title, icon, iconClass, value, rows, of, exact, mark, span, below, shape }: TileProps) {
  return (
    <section className="glass-card @container relative flex min-w-0 flex-col p-3 hover:border-primary/60 sm:p-4">
      <h2 className="flex items-center justify-between gap-2 text-note font-semibold text-muted">
        {title}
        {/* A narrow tile needs the room for its name. */}
        <Icon name={icon} className={classNames('@max-[11rem]:hidden', iconClass)} />
      </h2>
      {/* As large as it fits: a figure that breaks is read as another one. */}
      <p
        className="mt-1 leading-tight whitespace-nowrap"
        style={{ fontSize: `clamp(1.125rem, ${150 / value.length}cqi, 2.25rem)` }}
      >
        <FigureLink
          rows={rows}
          of={of}
          exact={exact}
          fills
          className={classNames('font-semibold tabular-nums', iconClass)}
        >
          {value}
        </FigureLink>
      </p>
      <p className="flex flex-wrap items-center gap-x-2 text-caption text-muted">
        {span}
        {mark}
      </p>
      <div className="mt-auto pt-2">
        {shape && <div className="mb-1 max-sm:hidden">{shape}</div>}
        {below}
      </div>
    </section>
  )
}

type TileLinkProps = { rows: string; of: string; icon?: IconName | undefined; children: ReactNode }

/** The second figure of a tile, above the tile's own target. */
export function TileLink({ rows, of, icon, children }: TileLinkProps) {
  return (
    <FigureLink
      rows={rows}
      of={of}
      className="relative z-10 -mx-1 flex min-h-11 items-center gap-1.5 px-1 text-note leading-snug text-base-content lg:min-h-9"
    >
      {icon && <Icon name={icon} className="size-4" />}
      <span className="min-w-0 underline decoration-primary/55 underline-offset-4">{children}</span>
    </FigureLink>
  )
}

/** A second line that has no rows of its own. */
export function TileNote({ children }: { children: ReactNode }) {
  return <p className="flex min-h-11 items-center text-note leading-snug lg:min-h-9">{children}</p>
}
