// The month in figures: the share that was asked, what waits, and the reasons of the rest.
import { formatCount } from '@/lib/format/number'
import { Card } from '@/ui/card'
import { StateLine } from '@/ui/state-line'
import { OUTCOMES } from '../lib/ask-words'
import type { AskReport } from '../types'

const PARTS = [
  { outcome: 'asked', ink: 'fill-success' },
  { outcome: 'waiting', ink: 'fill-info' },
  { outcome: 'not_asked', ink: 'fill-warning' },
] as const

function countOf({ asked, waiting, notAsked }: AskReport, outcome: keyof typeof OUTCOMES): number {
  return { asked, waiting, not_asked: notAsked }[outcome]
}

export function ReportFigures({ report }: { report: AskReport }) {
  const { jobs, asked, share, reasons } = report
  return (
    <div className="grid items-start gap-4 lg:grid-cols-2">
      <Card title="Asked" icon="send">
        <p className="flex flex-wrap items-baseline gap-x-3">
          <span className="text-[clamp(1.75rem,1.2rem+2vw,2.25rem)] leading-tight font-semibold text-primary tabular-nums">
            {formatCount(asked)} of {formatCount(jobs)}
          </span>
          {typeof share === 'number' && <span className="text-crew font-semibold tabular-nums">{share}%</span>}
          <span className="text-note text-muted">finished {jobs === 1 ? 'job' : 'jobs'}</span>
        </p>
        <Bar report={report} />
        <ul className="mt-3 grid gap-1.5">
          {PARTS.map(({ outcome }) => {
            const { label, tone, icon } = OUTCOMES[outcome]
            return (
              <li key={outcome}>
                <StateLine tone={tone} icon={icon} plain>
                  <span className="tabular-nums">
                    {label}: {formatCount(countOf(report, outcome))}
                  </span>
                </StateLine>
              </li>
            )
          })}
        </ul>
      </Card>
      {reasons.length > 0 && (
        <Card title="Why not" icon="info">
          <ul aria-label="Reasons" className="grid gap-2">
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
function Bar({ report }: { report: AskReport }) {
  const widths = PARTS.map(({ outcome }) => (countOf(report, outcome) / Math.max(1, report.jobs)) * 100)
  return (
    <svg
      aria-hidden="true"
      viewBox="0 0 100 4"
      preserveAspectRatio="none"
      className="mt-3 h-3 w-full rounded-full bg-base-300"
    >
      {PARTS.map(({ outcome, ink }, at) => (
        <rect
          key={outcome}
          x={widths.slice(0, at).reduce((sum, width) => sum + width, 0)}
          width={widths[at]}
          height="4"
          className={ink}
        />
      ))}
    </svg>
  )
}
