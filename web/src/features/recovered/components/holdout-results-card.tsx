// Holdout results; no percentages of small samples.
import { Link } from 'react-router-dom'
import { formatDate } from '@/lib/format/date'
import { formatCents } from '@/lib/format/money'
import { formatCount } from '@/lib/format/number'
import { paths } from '@/lib/paths'
import { Card } from '@/ui/card'
import { StatusLine } from '@/ui/status-line'
import { HOLDOUT_TESTS } from '../lib/labels'
import { recoveredMessages as texts } from '../messages'
import type { MeasuredGain } from '../queries'

type HoldoutResultsCardProps = { gains: readonly MeasuredGain[]; timeZone: string }

export function HoldoutResultsCard({ gains, timeZone }: HoldoutResultsCardProps) {
  const begun = gains.filter(({ isOn, since }) => isOn || since)
  return (
    <Card
      title="Measured gain"
      icon="chart"
      aside={
        <Link to={paths.settings('reminders')} className="text-link inline-flex min-h-11 items-center text-note">
          Hold-out settings
        </Link>
      }
    >
      <p className="text-note text-muted">
        "Recovered" says what came after a message, not what would have been lost. A holdout leaves one phone number in
        ten out and compares what both groups pay.
      </p>
      {begun.length === 0 && <p className="mt-3">It is off: no one is left out, and nothing is measured.</p>}
      {begun.map((gain) => (
        <MeasuredResult key={gain.test} gain={gain} timeZone={timeZone} />
      ))}
    </Card>
  )
}

function MeasuredResult({
  gain: { test, isOn, since, served, heldOut, difference, leastLeads, leastPaying },
  timeZone,
}: {
  gain: MeasuredGain
  timeZone: string
}) {
  const groups = [
    { label: 'Served', group: served },
    { label: 'Left out', group: heldOut },
  ] as const
  return (
    <section aria-label={HOLDOUT_TESTS[test]} className="mt-4 grid gap-2 border-t border-primary/22 pt-4">
      <h3 className="font-semibold">
        {HOLDOUT_TESTS[test]}{' '}
        <span className="text-note font-normal text-muted">
          {since ? `since ${formatDate(since, timeZone)}` : 'waiting for the first request'}
          {isOn ? '' : ', now off'}
        </span>
      </h3>
      <dl className="grid grid-cols-2 gap-3">
        {groups.map(({ label, group }) => (
          <div key={label}>
            <dt className="text-note text-muted">{label}</dt>
            <dd className="font-semibold tabular-nums">
              {formatCents(group.perLead)} a request
              <span className="block text-caption font-normal text-muted">
                {formatCount(group.paying)} of {formatCount(group.leads)} paid {formatCents(group.paid)}
              </span>
            </dd>
          </div>
        ))}
      </dl>
      {difference ? (
        <Difference {...difference} />
      ) : (
        <StatusLine tone="neutral" icon="clock">
          {texts.notEnough}: each group needs {leastLeads} requests, {leastPaying} of which paid.
        </StatusLine>
      )}
    </section>
  )
}

/** What may be chance is called that. */
function Difference({ perLead, low, high }: { perLead: number; low: number; high: number }) {
  const isClear = low > 0 || high < 0
  return (
    <StatusLine
      tone={isClear ? (low > 0 ? 'success' : 'warning') : 'neutral'}
      icon={isClear ? (low > 0 ? 'arrow-up' : 'arrow-down') : 'info'}
    >
      {formatCents(Math.abs(perLead))} {perLead < 0 ? 'less' : 'more'} a request with it; with 95% confidence between{' '}
      {formatCents(low)} and {formatCents(high)}.{!isClear && ' That may be chance.'}
    </StatusLine>
  )
}
