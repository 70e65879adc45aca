import { formatMoney } from '@/lib/format/money'
import { formatCount, formatTenths } from '@/lib/format/number'
import { Card } from '@/ui/card'
import { ShareBar, ShareLegend, type ShareColour } from '@/ui/chart/share-bar'
import { formatDateSpan } from '../lib/periods'
import type { SpanFigures } from '../types'
import { FigureLink, FigureRow } from './figure-link'

export function TimeSavedPanel({ week, before }: { week: SpanFigures; before: SpanFigures }) {
  const { hours, autoReplies, followUps, scheduling, rows } = week.timeSaved
  const parts: readonly { colour: ShareColour; label: string; spared: typeof autoReplies }[] = [
    { colour: 'first', label: 'Auto replies', spared: autoReplies },
    { colour: 'second', label: 'Follow-ups', spared: followUps },
    { colour: 'third', label: 'Scheduling', spared: scheduling },
  ]
  return (
    <Card title="Time Saved" icon="clock" className="h-full">
      <p className="flex items-baseline gap-2">
        <FigureLink
          rows={rows}
          of={`saved this week, ${formatDateSpan(week)}`}
          className="text-title font-semibold text-success tabular-nums"
        >
          {formatTenths(hours)} hours
        </FigureLink>
        <span className="text-note text-muted">this week</span>
      </p>
      <ShareBar parts={parts.map(({ colour, spared }) => ({ colour, value: spared.hours }))} className="mt-2 mb-1" />
      <dl>
        {parts.map(({ colour, label, spared }) => (
          <div key={label} className="flex min-h-11 items-center justify-between gap-3">
            <dt className="text-note text-muted">
              <ShareLegend colour={colour} />
              {label}
              <span className="block pl-5 text-caption">
                {formatCount(spared.actions)} × {formatCount(spared.minutesEach)} min
              </span>
            </dt>
            <dd className="text-right font-semibold tabular-nums">{formatTenths(spared.hours)} h</dd>
          </div>
        ))}
        <FigureRow
          label="Money recovered this week"
          rows={week.recovered.rows}
          of={`came after automatic messages, ${formatDateSpan(week)}`}
        >
          {formatMoney(week.recovered.value)}
        </FigureRow>
        <div className="flex min-h-11 items-center justify-between gap-3">
          <dt className="text-note text-muted">The week before</dt>
          <dd className="text-right font-semibold tabular-nums">
            <FigureLink
              rows={before.timeSaved.rows}
              of={`saved the week before, ${formatDateSpan(before)}`}
              className="inline-flex min-h-11 items-center"
            >
              {formatTenths(before.timeSaved.hours)} h
            </FigureLink>
          </dd>
        </div>
      </dl>
    </Card>
  )
}
