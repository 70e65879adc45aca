// Items that need a person: alerts, unanswered customers, overdue money.
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Link } from 'react-router-dom'
import type { Tone } from '@/domain/tone'
import { describeWait } from '@/features/inbox/lib/describe-wait'
import { OpenAlerts } from '@/features/leads/components/open-alerts'
import { classNames } from '@/lib/class-names'
import { formatMoney } from '@/lib/format/money'
import { formatCount } from '@/lib/format/number'
import { paths } from '@/lib/paths'
import { useCurrentUser } from '@/features/session/use-session'
import { Button } from '@/ui/button'
import { Icon, type IconName } from '@/ui/icon'
import { SkeletonLines } from '@/ui/skeleton'
import { useOpenAlerts, useResponsePromises, useTodaySchedule, useUnansweredThreads } from '../lib/use-attention-items'
import { dashboardMessages as texts } from '../messages'
import { dashboardQueries } from '../queries'

export function NeedsAttention() {
  const { orgId } = useCurrentUser()
  const kpis = useQuery(dashboardQueries.kpis(orgId))
  const [alerts, today, { query: inbox, unanswered, now }, { query: owed, promised }] = [
    useOpenAlerts(),
    useTodaySchedule(),
    useUnansweredThreads(),
    useResponsePromises(),
  ]
  const parts = [alerts, today, inbox, owed, kpis]
  const isKnown = parts.every(({ data }) => data !== undefined)
  const hasFailed = parts.some(({ data, error }) => data === undefined && error !== null)
  const open = alerts.data?.filter(({ seenAt }) => !seenAt).length ?? 0
  const overdue = kpis.data?.receivables.overdue
  const rows = [
    promised[0] && <PromiseRow key="promised" promised={promised} first={promised[0]} />,
    unanswered && unanswered.count > 0 && <UnansweredRow key="unanswered" {...unanswered} now={now} />,
    overdue && overdue.count > 0 && (
      <AttentionRow
        key="overdue"
        to={overdue.rows}
        icon="dollar"
        tone="warning"
        more={`${formatMoney(overdue.total)} to be paid`}
      >
        {formatCount(overdue.count)} {overdue.count === 1 ? 'invoice is' : 'invoices are'} past due
      </AttentionRow>
    ),
    today.data && today.data.trayTotal > 0 && (
      <AttentionRow key="tray" to={paths.schedule} icon="calendar" tone="info">
        {formatCount(today.data.trayTotal)} {today.data.trayTotal === 1 ? 'job has' : 'jobs have'} no time yet
      </AttentionRow>
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
        <LoadFailed
          onRetry={() => parts.map((part) => part.error && void part.refetch())}
          isRetrying={parts.some(({ isFetching }) => isFetching)}
        />
      )}
      {/* The empty state is shown only after all responses. */}
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
function PromiseRow({
  promised,
  first,
}: {
  promised: ReturnType<typeof useResponsePromises>['promised']
  first: ReturnType<typeof useResponsePromises>['promised'][number]
}) {
  const [count, late] = [promised.length, promised.filter(({ isLate }) => isLate).length]
  const what =
    late > 0
      ? `${formatCount(late)} ${late === 1 ? 'promise is' : 'promises are'} broken`
      : `${formatCount(count)} ${count === 1 ? 'promise runs' : 'promises run'} out`
  return (
    <AttentionRow
      to={count === 1 ? paths.leadShort(first.id) : `${paths.leads}?promise=owed`}
      icon={first.icon}
      tone={first.tone}
      more={`${first.name}: ${first.words}`}
    >
      {what}
      {late > 0 && late < count && `, ${formatCount(count - late)} more ${count - late === 1 ? 'runs' : 'run'} out`}
    </AttentionRow>
  )
}

function UnansweredRow({ count, isMore, since, now }: { count: number; isMore: boolean; since: number; now: number }) {
  const { text, tone } = describeWait(Math.max(0, now - since))
  return (
    <AttentionRow to={paths.inbox} icon="message" tone={tone} more={`the longest for ${text}`}>
      {formatCount(count)}
      {isMore && ' or more'} {count === 1 && !isMore ? 'customer waits' : 'customers wait'} for an answer
    </AttentionRow>
  )
}

const TONE_CLASSES = {
  neutral: 'text-muted',
  info: 'text-info',
  accent: 'text-accent',
  warning: 'text-warning',
  secondary: 'text-secondary',
  success: 'text-success',
  error: 'text-error',
} as const satisfies Record<Tone, string>

type RowProps = { to: string; icon: IconName; tone: Tone; more?: string; children: ReactNode }

function AttentionRow({ to, icon, tone, more, children }: RowProps) {
  return (
    <li>
      <Link to={to} className="flex min-h-14 items-center gap-3 px-3 py-2 -outline-offset-2! hover:bg-primary/8">
        <Icon name={icon} className={TONE_CLASSES[tone]} />
        <span className="min-w-0 flex-1">
          <span className="block font-semibold">{children}</span>
          {more && <span className={classNames('block text-note tabular-nums', TONE_CLASSES[tone])}>{more}</span>}
        </span>
        <Icon name="arrow-right" className="text-primary" />
      </Link>
    </li>
  )
}

function LoadFailed({ onRetry, isRetrying }: { onRetry: () => void; isRetrying: boolean }) {
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
