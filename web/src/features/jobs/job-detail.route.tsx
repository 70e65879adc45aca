import { useQuery } from '@tanstack/react-query'
import { Link, Navigate, useParams } from 'react-router-dom'
import { ApiError } from '@/api/client'
import { useDocumentTitle } from '@/lib/hooks/use-document-title'
import { t } from '@/lib/i18n'
import { paths } from '@/lib/paths'
import { useCurrentUser } from '@/features/session/use-session'
import { LinkButton } from '@/ui/button'
import { EmptyState } from '@/ui/empty-state'
import { Icon } from '@/ui/icon'
import { QueryBoundary } from '@/ui/query-boundary'
import { JobView } from './components/job-view'
import { jobsMessages } from './messages'
import { formatJobName } from './mutations'
import { jobQueries } from './queries'

/** An address that names no job at all is answered like one that names a job that is gone. */
function isNotFound(error: Error): boolean {
  return error instanceof ApiError && (error.status === 404 || error.status === 400 || error.status === 422)
}

/** Crew members get the on-site view of the job. */
export function Component() {
  const { id = '' } = useParams()
  const { role } = useCurrentUser()
  return role === 'crew' ? <Navigate to={paths.fieldJob(id)} replace /> : <OfficeJob id={id} />
}

function OfficeJob({ id }: { id: string }) {
  const { orgId, orgTimezone } = useCurrentUser()
  const job = useQuery(jobQueries.detail(orgId, id))
  useDocumentTitle(job.data ? t('Job {name}', { name: formatJobName(job.data) }) : t('Job'))
  if (job.error && isNotFound(job.error)) return <NotFound />
  return (
    <>
      <Link to={paths.jobs} className="text-link mb-2 inline-flex min-h-11 items-center gap-2">
        <Icon name="arrow-left" />
        {t('Jobs')}
      </Link>
      <QueryBoundary query={job} errorText={jobsMessages.jobFailed} timeZone={orgTimezone}>
        {(found) => <JobView key={found.id} job={found} />}
      </QueryBoundary>
    </>
  )
}

function NotFound() {
  return (
    <EmptyState
      headingLevel={1}
      icon="search"
      title={jobsMessages.notFoundTitle}
      action={
        <LinkButton to={paths.jobs} icon="arrow-left">
          {t('Back to Jobs')}
        </LinkButton>
      }
    >
      <p>{jobsMessages.notFound}</p>
    </EmptyState>
  )
}
