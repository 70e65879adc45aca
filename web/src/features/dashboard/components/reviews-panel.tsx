// Received and requested reviews, this week and last, on one scale.
import { formatCount } from '@/lib/format/number'
import { Card } from '@/ui/card'
import { ShareBar, type ShareColour, ShareLegend } from '@/ui/chart/share-bar'
import { formatDateSpan } from '../lib/periods'
import type { SpanFigures } from '../types'
import { FigureLink } from './figure-link'

export function ReviewsPanel({ week, before }: { week: SpanFigures; before: SpanFigures }) {
  const { asked, received, average } = week.reviews
  const most = Math.max(1, ...[week, before].flatMap(({ reviews }) => [reviews.asked.value, reviews.received.value]))
  return (
    <Card title="Reviews Tracking" icon="star" className="h-full">
      <p className="flex items-baseline gap-2">
        <FigureLink
          rows={received.rows}
          of={`reviews received this week, ${formatDateSpan(week)}`}
          className="text-title font-semibold text-accent tabular-nums"
        >
          {formatCount(received.value)}
        </FigureLink>
        <span className="text-note text-muted">
          received out of {formatCount(asked.value)} requested this week
          {typeof average === 'number' && `, ${average} stars`}
        </span>
      </p>
      <Bars title="This week" span={week} most={most} />
      <Bars title="The week before" span={before} most={most} />
    </Card>
  )
}

function Bars({ title, span, most }: { title: string; span: SpanFigures; most: number }) {
  const { asked, received } = span.reviews
  const days = `${title.toLowerCase()}, ${formatDateSpan(span)}`
  return (
    <>
      <h3 className="mt-3 text-caption text-muted">{title}</h3>
      <ul>
        <Bar colour="rest" label="Requested" figure={asked} of={`reviews requested ${days}`} most={most} />
        <Bar colour="main" label="Received" figure={received} of={`reviews received ${days}`} most={most} />
      </ul>
    </>
  )
}

type BarProps = {
  colour: ShareColour
  label: string
  figure: { value: number; rows: string }
  of: string
  most: number
}

function Bar({ colour, label, figure, of, most }: BarProps) {
  return (
    <li className="relative -mx-2 min-h-11 rounded-field px-2 pt-1.5 pb-2 hover:bg-primary/8">
      <p className="flex items-center justify-between gap-3">
        <span className="text-note text-muted">
          <ShareLegend colour={colour} />
          {label}
        </span>
        <FigureLink rows={figure.rows} of={of} fills className="font-semibold tabular-nums">
          {formatCount(figure.value)}
        </FigureLink>
      </p>
      <ShareBar parts={[{ colour, value: figure.value }]} whole={most} />
    </li>
  )
}
