// Today screen of the crew.
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense } from 'react'
import { formatDayName, getZoneDay } from '@/lib/format/zone-time'
import { useDocumentTitle } from '@/lib/hooks/use-document-title'
import { useOnline } from '@/lib/hooks/use-online'
import { useCurrentUser } from '@/features/session/use-session'
import { formatLocale, t } from '@/lib/i18n'
import { lazyOptional } from '@/lib/lazy-optional'
import { EmptyState } from '@/ui/empty-state'
import { QueryBoundary } from '@/ui/query-boundary'
import { Skeleton } from '@/ui/skeleton'
import type { JobSummary } from '@/features/jobs/types'
import { peopleQueries } from '@/features/people/queries'
import { CrewJobRows } from './components/crew-job-rows'
import { NextJob } from './components/next-job'
import { OutboxStatusBar } from './components/outbox-status-bar'
import { RouteCard } from './components/route-card'
import { type JobsByDay, remainingToday, getNextJob } from './lib/jobs-by-day'
import { useCrewDays } from './lib/use-crew-days'
import { crewMessages as texts } from './messages'

/** Fetched with a connection only; offline they are left out. */
const CrewCalendars = lazy(async () => {
  try {
    return { default: (await import('./components/crew-calendars')).CrewCalendars }
  } catch {
    return { default: () => null }
  }
})
const PushAlertsCard = lazyOptional(async () => (await import('./components/push-alerts-card')).PushAlertsCard)

/** `Saturday, November 21` */
function formatDateHeading(timeZone: string, now: number): string {
  const format = { timeZone, weekday: 'long', month: 'long', day: 'numeric' } as const
  return new Intl.DateTimeFormat(formatLocale(), format).format(now)
}

export function Component() {
  const { orgTimezone, role } = useCurrentUser()
  const { query, days, now } = useCrewDays()
  const isOnline = useOnline()
  useDocumentTitle(texts.title)
  return (
    <div className="mx-auto grid max-w-2xl grid-cols-[minmax(0,1fr)] gap-4">
      <header>
        <h1 className="text-title">{texts.title}</h1>
        <p className="text-muted">{formatDateHeading(orgTimezone, now)}</p>
      </header>
      <OutboxStatusBar />
      <div>
        <QueryBoundary query={query} skeleton={<DaysSkeleton />} errorText={texts.daysFailed} timeZone={orgTimezone}>
          {() => <DaysView days={days} timeZone={orgTimezone} now={now} />}
        </QueryBoundary>
      </div>
      {role === 'crew' && isOnline && (
        <Suspense fallback={null}>
          <PushAlertsCard />
          <CrewCalendars />
        </Suspense>
      )}
    </div>
  )
}

function DaysView({ days, timeZone, now }: { days: JobsByDay; timeZone: string; now: number }) {
  const { overdue, today, tomorrow, later } = days
  const next = getNextJob(days)
  const isOther = ({ id }: { id: string }) => id !== next?.id
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-6">
      {next && <NextJob key={next.id} id={next.id} />}
      {!next && today.length === 0 && <NoJobs next={tomorrow[0] ?? later} timeZone={timeZone} now={now} />}
      <CrewJobRows title={t('Not finished')} jobs={overdue.filter(isOther)} timeZone={timeZone} now={now} />
      <RouteCard jobs={remainingToday(days)} />
      <CrewJobRows title={next ? t('Rest of the day') : t('Today')} jobs={today.filter(isOther)} timeZone={timeZone} />
      <CrewJobRows title={t('Tomorrow')} jobs={tomorrow} timeZone={timeZone} />
    </div>
  )
}

function NoJobs({ next, timeZone, now }: { next: JobSummary | undefined; timeZone: string; now: number }) {
  const { orgId, role } = useCurrentUser()
  const { data: crews } = useQuery(peopleQueries.crews(orgId))
  return (
    <EmptyState icon="check-circle" title={texts.none}>
      {next?.date && <p>{describeNextDay(next.date, timeZone, now)}</p>}
      {role === 'crew' && crews?.length === 0 && <p>{texts.noCrew}</p>}
    </EmptyState>
  )
}

/** `The next one is tomorrow.`, else `The next one is on Tue, Nov 24.` */
function describeNextDay(date: string, timeZone: string, now: number): string {
  const at = Date.parse(date)
  return getZoneDay(timeZone, at) === getZoneDay(timeZone, now, 1)
    ? t('The next one is tomorrow.')
    : t('The next one is on {day}.', { day: formatDayName(timeZone, at, now) })
}

function DaysSkeleton() {
  return (
    <div className="grid gap-4">
      <Skeleton className="h-96 w-full rounded-box" />
      <Skeleton className="h-20 w-full rounded-box" />
    </div>
  )
}
