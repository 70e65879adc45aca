// Parts of one whole as one bar, with the same shapes beside their names. Colour never tells them apart alone: each
// part has its name, its figure and its place.
import { classNames } from '@/lib/class-names'

export type ShareColour = 'main' | 'first' | 'second' | 'third' | 'rest'

const FILLS = {
  main: 'fill-primary',
  first: 'fill-chart-1',
  second: 'fill-chart-2',
  third: 'fill-chart-3',
  rest: 'fill-chart-rest',
} as const satisfies Record<ShareColour, string>

/** Shapes that differ where the colours do not. */
const SHAPES = {
  main: 'M1 1h10v10H1z',
  first: 'M1 1h10v10H1z',
  second: 'M6 0l6 6-6 6-6-6z',
  third: 'M6 0a6 6 0 1 0 0 12A6 6 0 0 0 6 0z',
  rest: 'M0 4h12v4H0z',
} as const satisfies Record<ShareColour, string>

const GAP_PERCENT = 0.8

export type Share = { colour: ShareColour; value: number }

/** Widths in percent. What is there at all can be seen. */
function getWidths(parts: readonly Share[], whole: number): number[] {
  const seen = parts.map(({ value }) => (value > 0 && whole > 0 ? Math.max(2, (value / whole) * 100) : 0))
  const sum = seen.reduce((all, width) => all + width, 0)
  return seen.map((width) => (sum > 100 ? (width * 100) / sum : width))
}

type ShareBarProps = {
  parts: readonly Share[]
  /** The whole; by default the sum of the parts. */
  whole?: number
  className?: string
}

/** Decoration: the words and figures stand beside it. */
export function ShareBar({
  parts,
  whole = parts.reduce((sum, { value }) => sum + Math.max(0, value), 0),
  className,
}: ShareBarProps) {
  const shown = getWidths(parts, whole)
  const starts = shown.map((_, at) => shown.slice(0, at).reduce((sum, width) => sum + width, 0))
  return (
    <svg
      aria-hidden="true"
      viewBox="0 0 100 10"
      preserveAspectRatio="none"
      className={classNames('block h-2.5 w-full rounded-full', className)}
    >
      <rect width="100" height="10" className="fill-chart-rest opacity-35" />
      {parts.map(({ colour }, at) => {
        const [x = 0, width = 0] = [starts[at], shown[at]]
        const isLast = x + width > 99.5
        return (
          width > 0 && (
            <rect
              key={colour}
              x={x}
              width={isLast ? width : Math.max(1, width - GAP_PERCENT)}
              height="10"
              className={FILLS[colour]}
            />
          )
        )
      })}
    </svg>
  )
}

/** The shape of a part, beside its name. */
export function ShareLegend({ colour }: { colour: ShareColour }) {
  return (
    <svg aria-hidden="true" viewBox="0 0 12 12" className="mr-2 inline-block size-3 shrink-0">
      <path d={SHAPES[colour]} className={FILLS[colour]} />
    </svg>
  )
}
