import { formatMoney } from '@/lib/format/money'
import { formatCount, formatTenths } from '@/lib/format/number'
import { t } from '@/lib/i18n'
import { Card } from '@/ui/card'
import { ShareBar, ShareLegend, type ShareColour } from '@/ui/chart/share-bar'
import { formatDateSpan } from '../lib/periods'
import type { SpanFigures } from '../types'
import { FigureLink, FigureRow } from './figure-link'

export function TimeSavedPanel({ week, before }: { week: SpanFigures; before: SpanFigures }) {
  const { hours, autoReplies, followUps, scheduling, rows } = week.timeSaved
  const parts: readonly { colour: ShareColour; label: string; spared: typeof autoReplies }[] = [
    { colour: 'first', label: t('Auto replies'), spared: autoReplies },
    { colour: 'second', label: t('Follow-ups'), spared: followUps },
    { colour: 'third', label: t('Scheduling'), spared: scheduling },
  ]
  return (
    <Card title={t('Time Saved')} icon="clock" className="h-full">
      <p className="flex items-baseline gap-2">
        <FigureLink
          rows={rows}
          of={t('saved this week, {days}', { days: formatDateSpan(week) })}
          className="text-title font-semibold text-success tabular-nums"
        >
          {t('{hours} hours', { hours: formatTenths(hours) })}
        </FigureLink>
        <span className="text-note text-muted">{t('this week')}</span>
      </p>
      <ShareBar parts={parts.map(({ colour, spared }) => ({ colour, value: spared.hours }))} className="mt-2 mb-1" />
      <dl>
        {parts.map(({ colour, label, spared }) => (
          <div key={label} className="flex min-h-11 items-center justify-between gap-3">
            <dt className="text-note text-muted">
              <ShareLegend colour={colour} />
              {label}
              <span className="block pl-5 text-caption">
                {`${formatCount(spared.actions)} × ${formatCount(spared.minutesEach)} min`}
              </span>
            </dt>
            <dd className="text-right font-semibold tabular-nums">{formatTenths(spared.hours)} h</dd>
          </div>
        ))}
        <FigureRow
          label={t('Money recovered this week')}
          rows={week.recovered.rows}
          of={t('came after automatic messages, {days}', { days: formatDateSpan(week) })}
        >
          {formatMoney(week.recovered.value)}
        </FigureRow>
        <div className="flex min-h-11 items-center justify-between gap-3">
          <dt className="text-note text-muted">{t('The week before')}</dt>
          <dd className="text-right font-semibold tabular-nums">
            <FigureLink
              rows={before.timeSaved.rows}
              of={t('saved the week before, {days}', { days: formatDateSpan(before) })}
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
