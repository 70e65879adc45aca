import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from 'react-router-dom'
import { ApiError } from '@/api/client'
import { useDocumentTitle } from '@/lib/hooks/use-document-title'
import { t } from '@/lib/i18n'
import { paths } from '@/lib/paths'
import { useCurrentUser } from '@/features/session/use-session'
import { LinkButton } from '@/ui/button'
import { EmptyState } from '@/ui/empty-state'
import { Icon } from '@/ui/icon'
import { QueryBoundary } from '@/ui/query-boundary'
import { LeadView } from './components/lead-view'
import { leadsMessages } from './messages'
import { leadQueries } from './queries'

/** An address that names no lead at all is answered like one that names a lead that is gone. */
function isNotFound(error: Error): boolean {
  return error instanceof ApiError && (error.status === 404 || error.status === 400 || error.status === 422)
}

export function Component() {
  const { id = '' } = useParams()
  const { orgId, orgTimezone } = useCurrentUser()
  const lead = useQuery(leadQueries.detail(orgId, id))
  useDocumentTitle(lead.data?.name ?? t('Lead'))
  if (lead.error && isNotFound(lead.error)) return <NotFound />
  return (
    <>
      <Link to={paths.leads} className="text-link mb-2 inline-flex min-h-11 items-center gap-2">
        <Icon name="arrow-left" />
        {t('Leads')}
      </Link>
      <QueryBoundary query={lead} errorText={leadsMessages.leadFailed} timeZone={orgTimezone}>
        {(found) => <LeadView key={found.id} lead={found} />}
      </QueryBoundary>
    </>
  )
}

function NotFound() {
  return (
    <EmptyState
      headingLevel={1}
      icon="search"
      title={leadsMessages.notFoundTitle}
      action={
        <LinkButton to={paths.leads} icon="arrow-left">
          {t('Back to Leads')}
        </LinkButton>
      }
    >
      <p>{leadsMessages.notFound}</p>
    </EmptyState>
  )
}
