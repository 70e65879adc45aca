// Automated and manual responses, with waiting times.
import type { ReactNode } from 'react'
import { formatCount, formatPercent } from '@/lib/format/number'
import { Card } from '@/ui/card'
import { ShareBar, ShareLegend } from '@/ui/chart/share-bar'
import { formatDateSpan } from '../lib/periods'
import { formatWaitMinutes } from '../lib/format-wait'
import type { SpanFigures } from '../types'
import { FigureLink, FigureRow } from './figure-link'

export function PerformancePanel({ week }: { week: SpanFigures }) {
  const { newLeads, autoReplied, autoReplyRate, answers, promises } = week
  const promised = promises.kept.value + promises.broken.value
  const manual = Math.max(0, newLeads.value - autoReplied.value)
  const days = formatDateSpan(week)
  const share = (rate: number) => (newLeads.value === 0 ? '0%' : formatPercent(rate / 100))
  return (
    <Card title="Automation Performance" icon="sparkle" className="relative h-full">
      <p className="flex items-baseline gap-2">
        <FigureLink
          rows={autoReplied.rows}
          of={`of the leads this week were answered automatically, ${days}`}
          className="text-title font-semibold text-primary tabular-nums"
        >
          {autoReplyRate}%
        </FigureLink>
        <span className="text-note text-muted">auto-reply rate this week</span>
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
              Automatic
            </>
          }
          rows={autoReplied.rows}
          of="leads answered automatically this week"
        >
          {formatCount(autoReplied.value)} of {formatCount(newLeads.value)}
        </FigureRow>
        {/* Manual or not yet answered: all requests without an automatic answer. */}
        <PerformanceRow
          label={
            <>
              <ShareLegend colour="rest" />
              Manual, or not yet
            </>
          }
        >
          {formatCount(manual)} ({share(100 - autoReplyRate)})
        </PerformanceRow>
        <FigureRow
          label={<WaitTime name="First automatic reply" p90={answers.auto.p90Minutes} />}
          rows={answers.rows}
          of="in the middle, of the leads with an answer"
        >
          {formatWaitMinutes(answers.auto.medianMinutes)}
        </FigureRow>
        <FigureRow
          label={<WaitTime name="First answer by a person" p90={answers.human.p90Minutes} />}
          rows={answers.rows}
          of="in the middle, of the leads with an answer"
        >
          {formatWaitMinutes(answers.human.medianMinutes)}
        </FigureRow>
        <FigureRow
          label="Promises of an answer kept"
          rows={promises.kept.rows}
          of={
            promised > 0 ? 'promised answers due this week were given in time' : 'no promised answer was due this week'
          }
        >
          {promised > 0 ? `${formatCount(promises.kept.value)} of ${formatCount(promised)}` : '–'}
        </FigureRow>
        {promises.broken.value > 0 && (
          <FigureRow
            label="Promises of an answer broken"
            rows={promises.broken.rows}
            of="promised answers due this week were not given in time"
          >
            {formatCount(promises.broken.value)}
          </FigureRow>
        )}
        <FigureRow label="Average first answer" rows={answers.rows} of="by anyone, of the leads with an answer">
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
      <span className="block text-caption">
        median{typeof p90 === 'number' && `; 9 of 10 ${withinTime(formatWaitMinutes(p90))}`}
      </span>
    </>
  )
}

/** `within 8 s`, `under 1 s` */
const withinTime = (duration: string) => (duration.startsWith('under') ? duration : `within ${duration}`)

function PerformanceRow({ label, children }: { label: ReactNode; children: ReactNode }) {
  return (
    <div className="flex min-h-11 items-center justify-between gap-3 lg:min-h-10">
      <dt className="text-note text-muted">{label}</dt>
      <dd className="text-right font-semibold tabular-nums">{children}</dd>
    </div>
  )
}
