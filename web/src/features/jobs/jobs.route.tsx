// The Job Tracker: four figures, and every booked job as a card.
import { useQuery } from '@tanstack/react-query'
import { lazy, type ReactNode, Suspense, useState } from 'react'
import { daysIn, daysWords } from '@/domain/behind'
import { useBehind } from '@/domain/use-behind'
import { useDocumentTitle } from '@/lib/hooks/use-document-title'
import { useOnline } from '@/lib/hooks/use-online'
import { useCurrentUser } from '@/session/use-session'
import { Button } from '@/ui/button'
import { EmptyState } from '@/ui/empty-state'
import { Narrowed } from '@/ui/narrowed'
import { QueryBoundary } from '@/ui/query-boundary'
import { BoardFilters } from './components/board-filters'
import { BoardSkeleton } from './components/board-skeleton'
import { ExportButtons } from './components/export-buttons'
import { JobTiles, TilesSkeleton } from './components/job-tiles'
import { doneWords, JobsFound } from './components/jobs-found'
import { useJobFilters } from './lib/use-job-filters'
import { useJobList } from './lib/use-job-list'
import { jobsMessages } from './messages'
import { isFiltered, jobQueries } from './queries'

const AddJobDialog = lazy(async () => ({ default: (await import('./components/add-job-dialog')).AddJobDialog }))

export function Component() {
  useDocumentTitle(jobsMessages.title)
  const { orgId, orgTimezone, role } = useCurrentUser()
  const box = useJobFilters()
  const list = useJobList(orgId, box.filters)
  const summary = useQuery(jobQueries.summary(orgId))
  const add = useAdding()
  const isOffice = role !== 'crew'
  const isNarrowed = isFiltered(box.filters)
  const { done } = box.filters
  const { clear } = useBehind(daysIn)
  return (
    <div className="grid gap-4">
      <header className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <h1 className="flex-1 text-title">{jobsMessages.title}</h1>
        {/* On a phone the files stand below: a thumb wants the new job. */}
        {isOffice && <div className="sm:order-last">{add.button}</div>}
        {isOffice && (
          <div className="max-sm:basis-full">
            <ExportButtons filters={box.filters} />
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
        {(figures) => <JobTiles figures={figures} />}
      </QueryBoundary>
      <section aria-labelledby="job-board" className="grid gap-3">
        <h2 id="job-board" className="text-section">
          Job Board
        </h2>
        <BoardFilters box={box} />
        {done && (
          <Narrowed
            words={`${daysWords(done)} · done`}
            found={list.query.data && doneWords(list.query.data)}
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
            <JobsFound
              rows={rows}
              list={list}
              isNarrowed={isNarrowed}
              done={done}
              onClear={box.clear}
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
function useAdding() {
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
        Add job
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
