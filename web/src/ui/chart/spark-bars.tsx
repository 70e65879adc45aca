// A few days as a row of tiny bars: the shape of what a figure says, never the figure itself.
import { classNames } from '@/lib/class-names'

type SparkBarsProps = {
  values: readonly number[]
  /** The first of those that the figure is about; those before are paler. */ from?: number
  className?: string
}

const HEIGHT = 24
const BAR_STEP = 8
const MIN_BAR = 1.5

export function SparkBars({ values, from = 0, className }: SparkBarsProps) {
  const most = Math.max(...values, 0)
  return (
    <svg
      aria-hidden="true"
      viewBox={`0 0 ${Math.max(1, values.length) * BAR_STEP} ${HEIGHT}`}
      preserveAspectRatio="none"
      className={classNames('block w-full', className)}
    >
      {values.map((value, at) => {
        const height = most > 0 && value > 0 ? Math.max(3, (value / most) * HEIGHT) : MIN_BAR
        return (
          <rect
            // oxlint-disable-next-line react/no-array-index-key -- a bar is its place in the row
            key={at}
            x={at * BAR_STEP + 1}
            y={HEIGHT - height}
            width={BAR_STEP - 2}
            height={height}
            className={at < from ? 'fill-chart-rest' : 'fill-primary'}
          />
        )
      })}
    </svg>
  )
}
