import { Link } from 'react-router-dom'
import { t } from '@/lib/i18n'
import { paths } from '@/lib/paths'
import { formatCalendarDay } from '@/lib/format/calendar-day'
import { formatDateTime } from '@/lib/format/date'
import { formatCents } from '@/lib/format/money'
import { Icon } from '@/ui/icon'
import { RECOVERY_CATEGORIES, ATTRIBUTION_STEPS } from '../lib/labels'
import type { AttributionChain } from '../queries'

type AttributionCardProps = { chain: AttributionChain; timeZone: string }

export function AttributionCard({
  chain: { id, customer, amount, categories, events },
  timeZone,
}: AttributionCardProps) {
  const inAll = sumAmounts(events)
  return (
    <li className="glass-card p-4">
      <div className="flex flex-wrap items-start justify-between gap-x-4">
        <h3 className="text-crew wrap-anywhere">
          <Link to={paths.lead(id)} className="text-link inline-flex min-h-11 items-center">
            {customer}
          </Link>
        </h3>
        <p className="min-h-11 content-center text-right text-crew font-semibold tabular-nums">
          {formatCents(amount)}
          {/* The steps below are those of all days. */}
          {inAll !== amount && (
            <span className="block text-caption font-normal text-muted">
              {t('on these days, {amount} in all', { amount: formatCents(inAll) })}
            </span>
          )}
        </p>
        <p className="basis-full text-note text-muted">
          {categories.map((category) => RECOVERY_CATEGORIES[category].label).join(', ')}
        </p>
      </div>
      <ol aria-label={t('What happened with {customer}', { customer })} className="mt-2">
        {events.map((event, at) => (
          <AttributionEvent
            key={`${event.step} ${event.recordId}`}
            event={event}
            lead={id}
            isLast={at === events.length - 1}
            timeZone={timeZone}
          />
        ))}
      </ol>
    </li>
  )
}

/** US dollars, added in cents. */
const sumAmounts = (events: AttributionChain['events']) =>
  events.reduce((cents, { amount }) => cents + Math.round((amount ?? 0) * 100), 0) / 100

type EventProps = { event: AttributionChain['events'][number]; lead: string; isLast: boolean; timeZone: string }

function AttributionEvent({ event: { step, at, recordId, amount, on }, lead, isLast, timeZone }: EventProps) {
  const { label, icon } = ATTRIBUTION_STEPS[step]
  const isOfJob = step === 'booked' || step === 'booked_themselves' || step === 'done'
  return (
    <li className="relative grid min-h-12 grid-cols-[1.5rem_minmax(0,1fr)_auto] gap-x-3">
      <span aria-hidden="true" className="flex flex-col items-center">
        <Icon name={icon} className="mt-1 size-5 text-primary" />
        {!isLast && <span className="w-px flex-1 bg-primary/30" />}
      </span>
      <span className="pb-3">
        <Link
          to={isOfJob ? paths.job(recordId) : paths.lead(lead)}
          className="inline-flex min-h-6 items-center hover:underline after:absolute after:inset-0"
        >
          {label}
        </Link>
        <span className="block text-caption text-muted">
          {on ? formatCalendarDay(on) : formatDateTime(at, timeZone)}
        </span>
      </span>
      {typeof amount === 'number' && <span className="font-semibold tabular-nums">{formatCents(amount)}</span>}
    </li>
  )
}
