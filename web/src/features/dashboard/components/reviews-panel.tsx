// Received and requested reviews, this week and last, on one scale.
import { formatCount } from '@/lib/format/number'
import { t } from '@/lib/i18n'
import { Card } from '@/ui/card'
import { ShareBar, type ShareColour, ShareLegend } from '@/ui/chart/share-bar'
import { formatDateSpan } from '../lib/periods'
import type { SpanFigures } from '../types'
import { FigureLink } from './figure-link'

export function ReviewsPanel({ week, before }: { week: SpanFigures; before: SpanFigures }) {
  const { asked, received, average } = week.reviews
  const count = formatCount(asked.value)
  const most = Math.max(1, ...[week, before].flatMap(({ reviews }) => [reviews.asked.value, reviews.received.value]))
  return (
    <Card title={t('Reviews Tracking')} icon="star" className="h-full">
      <p className="flex items-baseline gap-2">
        <FigureLink
          rows={received.rows}
          of={t('reviews received this week, {days}', { days: formatDateSpan(week) })}
          className="text-title font-semibold text-accent tabular-nums"
        >
          {formatCount(received.value)}
        </FigureLink>
        <span className="text-note text-muted">
          {typeof average === 'number'
            ? t('received out of {count} requested this week, {average} stars', { count, average })
            : t('received out of {count} requested this week', { count })}
        </span>
      </p>
      <Bars
        title={t('This week')}
        ofAsked={t('reviews requested this week, {days}', { days: formatDateSpan(week) })}
        ofReceived={t('reviews received this week, {days}', { days: formatDateSpan(week) })}
        span={week}
        most={most}
      />
      <Bars
        title={t('The week before')}
        ofAsked={t('reviews requested the week before, {days}', { days: formatDateSpan(before) })}
        ofReceived={t('reviews received the week before, {days}', { days: formatDateSpan(before) })}
        span={before}
        most={most}
      />
    </Card>
  )
}

type BarsProps = { title: string; ofAsked: string; ofReceived: string; span: SpanFigures; most: number }

function Bars({ title, ofAsked, ofReceived, span, most }: BarsProps) {
  const { asked, received } = span.reviews
  return (
    <>
      <h3 className="mt-3 text-caption text-muted">{title}</h3>
      <ul>
        <Bar colour="rest" label={t('Requested')} figure={asked} of={ofAsked} most={most} />
        <Bar colour="main" label={t('Received')} figure={received} of={ofReceived} most={most} />
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
