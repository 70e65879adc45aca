import { type DayRange, formatDayRange } from '@/domain/drilldown'
import { formatCount } from '@/lib/format/number'
import { formatCents } from '@/lib/format/money'
import { plural, t } from '@/lib/i18n'
import { Button } from '@/ui/button'
import { EmptyState } from '@/ui/empty-state'
import type { JobList, JobRows } from '../lib/use-job-list'
import { jobsMessages } from '../messages'
import { JobCards } from './job-cards'

type JobResultsProps = {
  rows: JobRows
  list: JobList
  isNarrowed: boolean
  done: DayRange | undefined
  onClear: () => void
  timeZone: string
}

export function JobResults({ rows, list, isNarrowed, done, onClear, timeZone }: JobResultsProps) {
  const title = done ? t('No jobs done in these days: {done}', { done: formatDayRange(done) }) : jobsMessages.noMatch
  if (rows.jobs.length === 0) {
    return (
      <div className="glass-card" role="status">
        <EmptyState
          icon="search"
          title={title}
          action={
            <Button variant="secondary" icon="close" onClick={onClear}>
              {t('Show all jobs')}
            </Button>
          }
        />
      </div>
    )
  }
  return (
    <div className="grid gap-3" aria-busy={list.isLocal && list.query.isFetching}>
      {isNarrowed && !done && (
        <p role="status" className="text-note text-muted">
          {resultsText(rows, list)}
        </p>
      )}
      <JobCards jobs={rows.jobs} timeZone={timeZone} />
      {list.hasMore && (
        <div className="grid justify-items-center gap-2 py-2">
          <p className="text-note text-muted">
            {t('{count} of {total} shown', { count: formatCount(rows.jobs.length), total: formatCount(rows.total) })}
          </p>
          <Button
            variant="secondary"
            pending={list.isLoadingMore}
            pendingText={t('Loading...')}
            onClick={list.loadMore}
          >
            {t('Show more')}
          </Button>
        </div>
      )}
    </div>
  )
}

/** `2 jobs · $1,250.50`; without amounts for a crew. */
export function describeJobTotal({ total, amount }: JobRows): string {
  const jobs = plural(total, '{count} job', '{count} jobs', { count: formatCount(total) })
  return amount === undefined ? jobs : `${jobs} · ${formatCents(amount)}`
}

function resultsText({ total }: JobRows, list: JobList): string {
  const values = { count: formatCount(total) }
  if (!list.isLocal) return plural(total, '{count} job found', '{count} jobs found', values)
  return list.query.isFetching
    ? plural(
        total,
        '{count} job found on this device, searching on...',
        '{count} jobs found on this device, searching on...',
        values,
      )
    : plural(
        total,
        '{count} job found among those saved on this device',
        '{count} jobs found among those saved on this device',
        values,
      )
}
