// Crew view of a job.
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from 'react-router-dom'
import { ApiError } from '@/api/client'
import { t } from '@/lib/i18n'
import { paths } from '@/lib/paths'
import { serviceLabel } from '@/domain/lead'
import { formatDayName } from '@/lib/format/zone-time'
import { useDocumentTitle } from '@/lib/hooks/use-document-title'
import { useNow } from '@/lib/hooks/use-now'
import { useJobOutboxEntries } from '@/offline/outbox/use-outbox'
import { useCurrentUser } from '@/features/session/use-session'
import { LinkButton } from '@/ui/button'
import { Card } from '@/ui/card'
import { EmptyState } from '@/ui/empty-state'
import { Icon } from '@/ui/icon'
import { Notice } from '@/ui/notice'
import { QueryBoundary } from '@/ui/query-boundary'
import { ExtraWorkList } from '@/features/jobs/components/extra-work'
import { StatusBadge } from '@/features/jobs/components/job-badges'
import { UndoBar } from '@/features/jobs/components/undo-bar'
import { jobsMessages } from '@/features/jobs/messages'
import { formatJobName } from '@/features/jobs/mutations'
import { jobQueries } from '@/features/jobs/queries'
import type { JobDetail } from '@/features/jobs/types'
import { ChecklistSection } from './components/checklist-section'
import { ContactLinks } from './components/contact-links'
import { FieldActions } from './components/field-actions'
import { JobAddress, JobTime, JobService } from './components/job-summary'
import { NotesSection } from './components/notes-section'
import { OutboxStatusBar } from './components/outbox-status-bar'
import { PhotosSection } from './components/photos-section'
import { applyPendingCommands } from './lib/pending-commands'
import { nextFieldStep } from './lib/steps'

const MINUTE_MS = 60_000
const isNotFound = (error: Error) =>
  error instanceof ApiError && (error.status === 404 || error.status === 400 || error.status === 422)

export function Component() {
  const { id = '' } = useParams()
  const { orgId, orgTimezone } = useCurrentUser()
  const job = useQuery(jobQueries.detail(orgId, id))
  useDocumentTitle(job.data ? t('Job {name}', { name: formatJobName(job.data) }) : t('Job'))
  if (job.error && isNotFound(job.error)) return <NotFound />
  return (
    <div className="mx-auto grid max-w-2xl grid-cols-[minmax(0,1fr)] gap-4">
      <Link to={paths.today} className="text-link inline-flex min-h-11 items-center gap-2">
        <Icon name="arrow-left" />
        {t('Today')}
      </Link>
      <OutboxStatusBar />
      <div>
        <QueryBoundary query={job} errorText={jobsMessages.jobFailed} timeZone={orgTimezone}>
          {(found) => <FieldJob key={found.id} job={found} timeZone={orgTimezone} />}
        </QueryBoundary>
      </div>
    </div>
  )
}

function NotFound() {
  return (
    <EmptyState
      headingLevel={1}
      icon="search"
      title={jobsMessages.notFoundTitle}
      action={
        <LinkButton to={paths.today} icon="arrow-left">
          {t('Back to Today')}
        </LinkButton>
      }
    >
      <p>{t('It may have gone to another crew.')}</p>
    </EmptyState>
  )
}

function FieldJob({ job: known, timeZone }: { job: JobDetail; timeZone: string }) {
  const job = applyPendingCommands(known, useJobOutboxEntries(known.id))
  const now = useNow(MINUTE_MS)
  return (
    // On a phone the action bar covers the end of the page.
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4 max-lg:pb-28">
      <header className="grid gap-1">
        <div className="flex flex-wrap items-center justify-between gap-2">
          <p className="text-muted">{job.scheduledAt && formatDayName(timeZone, Date.parse(job.scheduledAt), now)}</p>
          <StatusBadge status={job.status} isScheduled={Boolean(job.scheduledAt)} isOnTheWay={Boolean(job.onMyWayAt)} />
        </div>
        <h1 className="text-title wrap-anywhere">{job.customerName}</h1>
        <JobTime job={job} timeZone={timeZone} />
        <JobService job={job} />
        <JobAddress job={job} />
      </header>
      <ContactLinks job={job} />
      {job.specialInstructions && (
        <Notice tone="warning" title={t('Special instructions')}>
          <p className="text-base whitespace-pre-line">{job.specialInstructions}</p>
        </Notice>
      )}
      {job.weatherConcerns && (
        <Notice tone="info" title={t('Weather')}>
          <p className="text-base whitespace-pre-line">{job.weatherConcerns}</p>
        </Notice>
      )}
      <NextStep job={job} />
      <UndoBar job={job} />
      <WorkSections job={job} />
      <ChecklistSection job={job} />
      <PhotosSection job={job} />
      <NotesSection job={job} />
    </div>
  )
}

/** Once on the way, the next action stays at the bottom of the screen. */
const BAR =
  'max-lg:glass-bar max-lg:fixed max-lg:inset-x-0 max-lg:bottom-[calc(var(--nav-height)+var(--sai-bottom))] max-lg:z-20 max-lg:border-t max-lg:px-4 max-lg:py-2 lg:glass-card lg:p-5'

function NextStep({ job }: { job: JobDetail }) {
  const step = nextFieldStep(job)
  const isBar = step === 'start' || step === 'done'
  return (
    <section aria-label={t('Next step')} className={isBar ? BAR : 'glass-card p-4 sm:p-5'}>
      <FieldActions job={job} row={isBar} />
    </section>
  )
}

function WorkSections({ job: { service, serviceDescription, materialsNeeded, extraWork } }: { job: JobDetail }) {
  return (
    <Card title={t('The Work')} icon="wrench">
      <p className="text-crew wrap-anywhere whitespace-pre-line">{serviceDescription || serviceLabel(service)}</p>
      {extraWork.length > 0 && (
        <>
          <h3 className="mt-4 mb-1 font-semibold">{t('Extra work, agreed')}</h3>
          <ExtraWorkList extraWork={extraWork} />
        </>
      )}
      {materialsNeeded.length > 0 && (
        <>
          <h3 className="mt-4 mb-1 font-semibold">{t('Materials')}</h3>
          <ul className="grid list-disc gap-1 pl-5 marker:text-primary">
            {materialsNeeded.map((material) => (
              <li key={material} className="wrap-anywhere">
                {material}
              </li>
            ))}
          </ul>
        </>
      )}
    </Card>
  )
}
