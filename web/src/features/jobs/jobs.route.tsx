import { useQuery } from '@tanstack/react-query'
import { lazy, type ReactNode, Suspense, useState } from 'react'
import { parseDayRange, formatDayRange } from '@/domain/drilldown'
import { useDrilldown } from '@/domain/use-drilldown'
import { useDocumentTitle } from '@/lib/hooks/use-document-title'
import { useOnline } from '@/lib/hooks/use-online'
import { useCurrentUser } from '@/features/session/use-session'
import { t } from '@/lib/i18n'
import { Button } from '@/ui/button'
import { EmptyState } from '@/ui/empty-state'
import { FilterBanner } from '@/ui/filter-banner'
import { QueryBoundary } from '@/ui/query-boundary'
import { BoardFilters } from './components/board-filters'
import { BoardSkeleton } from './components/board-skeleton'
import { JobExportButtons } from './components/export-buttons'
import { JobTileGrid, TilesSkeleton } from './components/job-tile-grid'
import { describeJobTotal, JobResults } from './components/job-results'
import { useJobFilters } from './lib/use-job-filters'
import { useJobList } from './lib/use-job-list'
import { jobsMessages } from './messages'
import { hasJobFilters, jobQueries } from './queries'

const AddJobDialog = lazy(async () => ({ default: (await import('./components/add-job-dialog')).AddJobDialog }))

export function Component() {
  useDocumentTitle(jobsMessages.title)
  const { orgId, orgTimezone, role } = useCurrentUser()
  const filterState = useJobFilters()
  const list = useJobList(orgId, filterState.filters)
  const summary = useQuery(jobQueries.summary(orgId))
  const add = useAddJobDialog()
  const isOffice = role !== 'crew'
  const isNarrowed = hasJobFilters(filterState.filters)
  const { done } = filterState.filters
  const { clear } = useDrilldown(parseDayRange)
  return (
    <div className="grid gap-4">
      <header className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <h1 className="flex-1 text-title">{jobsMessages.title}</h1>
        {/* On a phone the exports are below: the new-job button is reachable. */}
        {isOffice && <div className="sm:order-last">{add.button}</div>}
        {isOffice && (
          <div className="max-sm:basis-full">
            <JobExportButtons filters={filterState.filters} />
          </div>
        )}
      </header>
      {/* Without a list the one error that matters is the list's. */}
      <QueryBoundary
        query={summary}
        skeleton={<TilesSkeleton />}
        errorText={jobsMessages.tilesFailed}
        timeZone={orgTimezone}
        {...(list.query.error ? { renderError: () => <></> } : {})}
      >
        {(figures) => <JobTileGrid figures={figures} />}
      </QueryBoundary>
      <section aria-labelledby="job-board" className="grid gap-3">
        <h2 id="job-board" className="text-section">
          {t('Job Board')}
        </h2>
        <BoardFilters filterState={filterState} />
        {done && (
          <FilterBanner
            label={t('{done} · done', { done: formatDayRange(done) })}
            countText={list.query.data && describeJobTotal(list.query.data)}
            onClear={clear}
          />
        )}
        <QueryBoundary
          query={list.query}
          skeleton={<BoardSkeleton />}
          errorText={jobsMessages.listFailed}
          timeZone={orgTimezone}
          isEmpty={({ total }) => total === 0 && !isNarrowed}
          empty={<NoJobs action={isOffice ? add.button : undefined} />}
        >
          {(rows) => (
            <JobResults
              rows={rows}
              list={list}
              isNarrowed={isNarrowed}
              done={done}
              onClear={filterState.clear}
              timeZone={orgTimezone}
            />
          )}
        </QueryBoundary>
      </section>
      {add.dialog}
    </div>
  )
}

/** The button that adds a job, and its dialog once it was asked for. */
function useAddJobDialog() {
  const isOnline = useOnline()
  const [isOpen, setIsOpen] = useState(false)
  const [wasOpened, setWasOpened] = useState(false)
  const open = () => {
    setWasOpened(true)
    setIsOpen(true)
  }
  return {
    button: (
      <Button icon="plus" disabled={!isOnline} title={isOnline ? undefined : jobsMessages.offline} onClick={open}>
        {t('Add job')}
      </Button>
    ),
    dialog: wasOpened && (
      <Suspense fallback={null}>
        <AddJobDialog open={isOpen} onClose={() => setIsOpen(false)} />
      </Suspense>
    ),
  }
}

function NoJobs({ action }: { action: ReactNode }) {
  return (
    <div className="glass-card">
      <EmptyState icon="briefcase" title={jobsMessages.noneTitle} action={action}>
        <p>{action ? jobsMessages.none : jobsMessages.noneForCrew}</p>
      </EmptyState>
    </div>
  )
}
