import { type DayRange, formatDayRange } from '@/domain/drilldown'
import { formatCount } from '@/lib/format/number'
import { formatCents } from '@/lib/format/money'
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
  const title = done ? `No jobs done in these days: ${formatDayRange(done)}` : jobsMessages.noMatch
  if (rows.jobs.length === 0) {
    return (
      <div className="glass-card" role="status">
        <EmptyState
          icon="search"
          title={title}
          action={
            <Button variant="secondary" icon="close" onClick={onClear}>
              Show all jobs
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
            {formatCount(rows.jobs.length)} of {formatCount(rows.total)} shown
          </p>
          <Button variant="secondary" pending={list.isLoadingMore} pendingText="Loading..." onClick={list.loadMore}>
            Show more
          </Button>
        </div>
      )}
    </div>
  )
}

/** `2 jobs · $1,250.50`; without amounts for a crew. */
export function describeJobTotal({ total, amount }: JobRows): string {
  return `${formatCount(total)} ${total === 1 ? 'job' : 'jobs'}${amount === undefined ? '' : ` · ${formatCents(amount)}`}`
}

function resultsText({ total }: JobRows, list: JobList): string {
  const count = `${formatCount(total)} ${total === 1 ? 'job' : 'jobs'} found`
  if (!list.isLocal) return count
  return list.query.isFetching
    ? `${count} on this device, searching on...`
    : `${count} among those saved on this device`
}
