import { formatCount } from '@/lib/format/number'
import { plural, t } from '@/lib/i18n'
import { Card } from '@/ui/card'
import { StatusLine } from '@/ui/status-line'
import { REQUEST_OUTCOMES } from '../lib/request-text'
import type { ReviewReport } from '../types'

const OUTCOME_BARS = [
  { outcome: 'asked', fillClass: 'fill-success' },
  { outcome: 'waiting', fillClass: 'fill-info' },
  { outcome: 'not_asked', fillClass: 'fill-warning' },
] as const

function getOutcomeCount({ asked, waiting, notAsked }: ReviewReport, outcome: keyof typeof REQUEST_OUTCOMES): number {
  return { asked, waiting, not_asked: notAsked }[outcome]
}

export function ReportFigures({ report }: { report: ReviewReport }) {
  const { jobs, asked, share, reasons } = report
  return (
    <div className="grid items-start gap-4 lg:grid-cols-2">
      <Card title={t('Asked')} icon="send">
        <p className="flex flex-wrap items-baseline gap-x-3">
          <span className="text-figure leading-tight font-semibold text-primary tabular-nums">
            {t('{count} of {total}', { count: formatCount(asked), total: formatCount(jobs) })}
          </span>
          {typeof share === 'number' && <span className="text-crew font-semibold tabular-nums">{share}%</span>}
          <span className="text-note text-muted">{plural(jobs, 'finished job', 'finished jobs')}</span>
        </p>
        <OutcomeBar report={report} />
        <ul className="mt-3 grid gap-1.5">
          {OUTCOME_BARS.map(({ outcome }) => {
            const { label, tone, icon } = REQUEST_OUTCOMES[outcome]
            return (
              <li key={outcome}>
                <StatusLine tone={tone} icon={icon} plain>
                  <span className="tabular-nums">
                    {label}: {formatCount(getOutcomeCount(report, outcome))}
                  </span>
                </StatusLine>
              </li>
            )
          })}
        </ul>
      </Card>
      {reasons.length > 0 && (
        <Card title={t('Why not')} icon="info">
          <ul aria-label={t('Reasons')} className="grid gap-2">
            {reasons.map(({ reason, count }) => (
              <li key={reason} className="grid grid-cols-[2.5rem_minmax(0,1fr)] items-baseline gap-2">
                <span className="text-right text-crew font-semibold tabular-nums">{formatCount(count)}</span>
                <span className="wrap-anywhere">{reason}</span>
              </li>
            ))}
          </ul>
        </Card>
      )}
    </div>
  )
}

/** The same figures as one bar; the list below says them in words. */
function OutcomeBar({ report }: { report: ReviewReport }) {
  const widths = OUTCOME_BARS.map(({ outcome }) => (getOutcomeCount(report, outcome) / Math.max(1, report.jobs)) * 100)
  return (
    <svg
      aria-hidden="true"
      viewBox="0 0 100 4"
      preserveAspectRatio="none"
      className="mt-3 h-3 w-full rounded-full bg-base-300"
    >
      {OUTCOME_BARS.map(({ outcome, fillClass }, at) => (
        <rect
          key={outcome}
          x={widths.slice(0, at).reduce((sum, width) => sum + width, 0)}
          width={widths[at]}
          height="4"
          className={fillClass}
        />
      ))}
    </svg>
  )
}
