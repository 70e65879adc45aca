// What only a person can do, each with the way there: unseen alerts, customers without an answer, money past its day.
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Link } from 'react-router-dom'
import type { Tone } from '@/domain/tone'
import { waitText } from '@/features/inbox/lib/waiting'
import { OpenAlerts } from '@/features/leads/components/open-alerts'
import { classNames } from '@/lib/class-names'
import { formatMoney } from '@/lib/format/money'
import { formatCount } from '@/lib/format/number'
import { paths } from '@/lib/paths'
import { useCurrentUser } from '@/session/use-session'
import { Button } from '@/ui/button'
import { Icon, type IconName } from '@/ui/icon'
import { SkeletonLines } from '@/ui/skeleton'
import { useOpenAlerts, usePromises, useToday, useUnanswered } from '../lib/use-waiting'
import { dashboardMessages as texts } from '../messages'
import { dashboardQueries } from '../queries'

export function NeedsYou() {
  const { orgId } = useCurrentUser()
  const kpis = useQuery(dashboardQueries.kpis(orgId))
  const [alerts, today, { query: inbox, unanswered, now }, { query: owed, promised }] = [
    useOpenAlerts(),
    useToday(),
    useUnanswered(),
    usePromises(),
  ]
  const parts = [alerts, today, inbox, owed, kpis]
  const isKnown = parts.every(({ data }) => data !== undefined)
  const hasFailed = parts.some(({ data, error }) => data === undefined && error !== null)
  const open = alerts.data?.filter(({ seenAt }) => !seenAt).length ?? 0
  const overdue = kpis.data?.receivables.overdue
  const rows = [
    promised[0] && <Promised key="promised" promised={promised} first={promised[0]} />,
    unanswered && unanswered.count > 0 && <Unanswered key="unanswered" {...unanswered} now={now} />,
    overdue && overdue.count > 0 && (
      <Row
        key="overdue"
        to={overdue.rows}
        icon="dollar"
        tone="warning"
        more={`${formatMoney(overdue.total)} to be paid`}
      >
        {formatCount(overdue.count)} {overdue.count === 1 ? 'invoice is' : 'invoices are'} past due
      </Row>
    ),
    today.data && today.data.trayTotal > 0 && (
      <Row key="tray" to={paths.schedule} icon="calendar" tone="info">
        {formatCount(today.data.trayTotal)} {today.data.trayTotal === 1 ? 'job has' : 'jobs have'} no time yet
      </Row>
    ),
  ].filter(Boolean)
  return (
    <section aria-labelledby="needs-you" className="grid grid-cols-[minmax(0,1fr)] content-start gap-2">
      <h2 id="needs-you" className="text-section">
        {texts.needsYou.title}
      </h2>
      <OpenAlerts />
      {rows.length > 0 && <ul className="glass-card divide-y divide-primary/15 overflow-hidden">{rows}</ul>}
      {hasFailed && (
        <Failed
          onRetry={() => parts.map((part) => part.error && void part.refetch())}
          isRetrying={parts.some(({ isFetching }) => isFetching)}
        />
      )}
      {/* That nothing waits is said once each of them has answered. */}
      {!hasFailed && !isKnown && (
        <div role="status" aria-label="Loading" className="glass-card p-4">
          <SkeletonLines lines={1} />
        </div>
      )}
      {isKnown && rows.length === 0 && open === 0 && (
        <p className="glass-card flex items-center gap-2 p-4">
          <Icon name="check-circle" className="text-success" />
          {texts.needsYou.nothing}
        </p>
      )}
    </section>
  )
}

/** What we have promised comes before what anybody merely hopes for; the most overdue is named. */
function Promised({
  promised,
  first,
}: {
  promised: ReturnType<typeof usePromises>['promised']
  first: ReturnType<typeof usePromises>['promised'][number]
}) {
  const [count, late] = [promised.length, promised.filter(({ isLate }) => isLate).length]
  const what =
    late > 0
      ? `${formatCount(late)} ${late === 1 ? 'promise is' : 'promises are'} broken`
      : `${formatCount(count)} ${count === 1 ? 'promise runs' : 'promises run'} out`
  return (
    <Row
      to={count === 1 ? paths.leadShort(first.id) : `${paths.leads}?promise=owed`}
      icon={first.icon}
      tone={first.tone}
      more={`${first.name}: ${first.words}`}
    >
      {what}
      {late > 0 && late < count && `, ${formatCount(count - late)} more ${count - late === 1 ? 'runs' : 'run'} out`}
    </Row>
  )
}

function Unanswered({ count, isMore, since, now }: { count: number; isMore: boolean; since: number; now: number }) {
  const { text, tone } = waitText(Math.max(0, now - since))
  return (
    <Row to={paths.inbox} icon="message" tone={tone} more={`the longest for ${text}`}>
      {formatCount(count)}
      {isMore && ' or more'} {count === 1 && !isMore ? 'customer waits' : 'customers wait'} for an answer
    </Row>
  )
}

const INKS = {
  neutral: 'text-muted',
  info: 'text-info',
  accent: 'text-accent',
  warning: 'text-warning',
  secondary: 'text-secondary',
  success: 'text-success',
  error: 'text-error',
} as const satisfies Record<Tone, string>

type RowProps = { to: string; icon: IconName; tone: Tone; more?: string; children: ReactNode }

function Row({ to, icon, tone, more, children }: RowProps) {
  return (
    <li>
      <Link to={to} className="flex min-h-14 items-center gap-3 px-3 py-2 -outline-offset-2! hover:bg-primary/8">
        <Icon name={icon} className={INKS[tone]} />
        <span className="min-w-0 flex-1">
          <span className="block font-semibold">{children}</span>
          {more && <span className={classNames('block text-note tabular-nums', INKS[tone])}>{more}</span>}
        </span>
        <Icon name="arrow-right" className="text-primary" />
      </Link>
    </li>
  )
}

function Failed({ onRetry, isRetrying }: { onRetry: () => void; isRetrying: boolean }) {
  return (
    <div role="alert" className="glass-card flex flex-wrap items-center justify-between gap-2 p-3">
      <p className="flex min-w-0 items-center gap-2 text-warning">
        <Icon name="alert" />
        {texts.needsYou.failed.title}
      </p>
      <Button variant="secondary" icon="refresh" pending={isRetrying} onClick={onRetry}>
        Try again
      </Button>
    </div>
  )
}
