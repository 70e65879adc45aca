// Holdout results; no percentages of small samples.
import { Link } from 'react-router-dom'
import { formatDate } from '@/lib/format/date'
import { formatCents } from '@/lib/format/money'
import { formatCount } from '@/lib/format/number'
import { t } from '@/lib/i18n'
import { paths } from '@/lib/paths'
import { Card } from '@/ui/card'
import { StatusLine } from '@/ui/status-line'
import { HOLDOUT_TESTS } from '../lib/labels'
import type { MeasuredGain } from '../queries'

type HoldoutResultsCardProps = { gains: readonly MeasuredGain[]; timeZone: string }

export function HoldoutResultsCard({ gains, timeZone }: HoldoutResultsCardProps) {
  const begun = gains.filter(({ isOn, since }) => isOn || since)
  return (
    <Card
      title={t('Measured gain')}
      icon="chart"
      aside={
        <Link to={paths.settings('reminders')} className="text-link inline-flex min-h-11 items-center text-note">
          {t('Hold-out settings')}
        </Link>
      }
    >
      <p className="text-note text-muted">
        {t(
          '"Recovered" says what came after a message, not what would have been lost. A holdout leaves one phone number in ten out and compares what both groups pay.',
        )}
      </p>
      {begun.length === 0 && <p className="mt-3">{t('It is off: no one is left out, and nothing is measured.')}</p>}
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
    { label: t('Served'), group: served },
    { label: t('Left out'), group: heldOut },
  ] as const
  return (
    <section aria-label={HOLDOUT_TESTS[test]} className="mt-4 grid gap-2 border-t border-primary/22 pt-4">
      <h3 className="font-semibold">
        {HOLDOUT_TESTS[test]}{' '}
        <span className="text-note font-normal text-muted">
          {describeStart(since ? formatDate(since, timeZone) : undefined, isOn)}
        </span>
      </h3>
      <dl className="grid grid-cols-2 gap-3">
        {groups.map(({ label, group }) => (
          <div key={label}>
            <dt className="text-note text-muted">{label}</dt>
            <dd className="font-semibold tabular-nums">
              {t('{amount} a request', { amount: formatCents(group.perLead) })}
              <span className="block text-caption font-normal text-muted">
                {t('{paying} of {leads} paid {amount}', {
                  paying: formatCount(group.paying),
                  leads: formatCount(group.leads),
                  amount: formatCents(group.paid),
                })}
              </span>
            </dd>
          </div>
        ))}
      </dl>
      {difference ? (
        <Difference {...difference} />
      ) : (
        <StatusLine tone="neutral" icon="clock">
          {t('Not enough yet: each group needs {leads} requests, {paying} of which paid.', {
            leads: leastLeads,
            paying: leastPaying,
          })}
        </StatusLine>
      )}
    </section>
  )
}

function describeStart(date: string | undefined, isOn: boolean): string {
  if (date === undefined) return isOn ? t('waiting for the first request') : t('waiting for the first request, now off')
  return isOn ? t('since {date}', { date }) : t('since {date}, now off', { date })
}

/** What may be chance is called that. */
function Difference({ perLead, low, high }: { perLead: number; low: number; high: number }) {
  const isClear = low > 0 || high < 0
  const values = { amount: formatCents(Math.abs(perLead)), low: formatCents(low), high: formatCents(high) }
  return (
    <StatusLine
      tone={isClear ? (low > 0 ? 'success' : 'warning') : 'neutral'}
      icon={isClear ? (low > 0 ? 'arrow-up' : 'arrow-down') : 'info'}
    >
      {perLead < 0
        ? t('{amount} less a request with it; with 95% confidence between {low} and {high}.', values)
        : t('{amount} more a request with it; with 95% confidence between {low} and {high}.', values)}
      {!isClear && ` ${t('That may be chance.')}`}
    </StatusLine>
  )
}
