// Automated and manual responses, with waiting times.
import type { ReactNode } from 'react'
import { formatCount, formatPercent } from '@/lib/format/number'
import { t } from '@/lib/i18n'
import { Card } from '@/ui/card'
import { ShareBar, ShareLegend } from '@/ui/chart/share-bar'
import { formatDateSpan } from '../lib/periods'
import { formatWaitMinutes, isUnderOneSecond } from '../lib/format-wait'
import type { SpanFigures } from '../types'
import { FigureLink, FigureRow } from './figure-link'

export function PerformancePanel({ week }: { week: SpanFigures }) {
  const { newLeads, autoReplied, autoReplyRate, answers, promises } = week
  const promised = promises.kept.value + promises.broken.value
  const manual = Math.max(0, newLeads.value - autoReplied.value)
  const days = formatDateSpan(week)
  const share = (rate: number) => (newLeads.value === 0 ? '0%' : formatPercent(rate / 100))
  return (
    <Card title={t('Automation Performance')} icon="sparkle" className="relative h-full">
      <p className="flex items-baseline gap-2">
        <FigureLink
          rows={autoReplied.rows}
          of={t('of the leads this week were answered automatically, {days}', { days })}
          className="text-title font-semibold text-primary tabular-nums"
        >
          {autoReplyRate}%
        </FigureLink>
        <span className="text-note text-muted">{t('auto-reply rate this week')}</span>
      </p>
      <ShareBar
        parts={[{ colour: 'main', value: autoReplied.value }]}
        whole={Math.max(1, newLeads.value)}
        className="mt-2 mb-1"
      />
      <dl>
        <FigureRow
          label={
            <>
              <ShareLegend colour="main" />
              {t('Automatic')}
            </>
          }
          rows={autoReplied.rows}
          of={t('leads answered automatically this week')}
        >
          {t('{count} of {total}', { count: formatCount(autoReplied.value), total: formatCount(newLeads.value) })}
        </FigureRow>
        {/* Manual or not yet answered: all requests without an automatic answer. */}
        <PerformanceRow
          label={
            <>
              <ShareLegend colour="rest" />
              {t('Manual, or not yet')}
            </>
          }
        >
          {formatCount(manual)} ({share(100 - autoReplyRate)})
        </PerformanceRow>
        <FigureRow
          label={<WaitTime name={t('First automatic reply')} p90={answers.auto.p90Minutes} />}
          rows={answers.rows}
          of={t('in the middle, of the leads with an answer')}
        >
          {formatWaitMinutes(answers.auto.medianMinutes)}
        </FigureRow>
        <FigureRow
          label={<WaitTime name={t('First answer by a person')} p90={answers.human.p90Minutes} />}
          rows={answers.rows}
          of={t('in the middle, of the leads with an answer')}
        >
          {formatWaitMinutes(answers.human.medianMinutes)}
        </FigureRow>
        <FigureRow
          label={t('Promises of an answer kept')}
          rows={promises.kept.rows}
          of={
            promised > 0
              ? t('promised answers due this week were given in time')
              : t('no promised answer was due this week')
          }
        >
          {promised > 0
            ? t('{count} of {total}', { count: formatCount(promises.kept.value), total: formatCount(promised) })
            : '–'}
        </FigureRow>
        {promises.broken.value > 0 && (
          <FigureRow
            label={t('Promises of an answer broken')}
            rows={promises.broken.rows}
            of={t('promised answers due this week were not given in time')}
          >
            {formatCount(promises.broken.value)}
          </FigureRow>
        )}
        <FigureRow
          label={t('Average first answer')}
          rows={answers.rows}
          of={t('by anyone, of the leads with an answer')}
        >
          {formatWaitMinutes(answers.averageMinutes)}
        </FigureRow>
      </dl>
    </Card>
  )
}

/** The middle of all waits says more than their mean; nine of ten tell how bad it gets. */
function WaitTime({ name, p90 }: { name: string; p90: number | null | undefined }) {
  return (
    <>
      {name}
      <span className="block text-caption">{describeSpread(p90)}</span>
    </>
  )
}

/** `median; 9 of 10 within 8 s`, `median; 9 of 10 under 1 s` */
function describeSpread(p90: number | null | undefined): string {
  if (typeof p90 !== 'number') return t('median')
  const time = formatWaitMinutes(p90)
  return isUnderOneSecond(p90) ? t('median; 9 of 10 {time}', { time }) : t('median; 9 of 10 within {time}', { time })
}

function PerformanceRow({ label, children }: { label: ReactNode; children: ReactNode }) {
  return (
    <div className="flex min-h-11 items-center justify-between gap-3 lg:min-h-10">
      <dt className="text-note text-muted">{label}</dt>
      <dd className="text-right font-semibold tabular-nums">{children}</dd>
    </div>
  )
}
