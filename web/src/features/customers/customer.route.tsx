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
import { CustomerView } from './components/customer-view'
import { customersMessages } from './messages'
import { customerQueries } from './queries'

export function Component() {
  const { id = '' } = useParams()
  const { orgId, orgTimezone } = useCurrentUser()
  const customer = useQuery(customerQueries.detail(orgId, id))
  useDocumentTitle(customer.data ? customer.data.name : t('Customer'))
  if (customer.error instanceof ApiError && customer.error.status === 404) return <NotFound />
  // A record that was merged is found where it went.
  if (customer.data && customer.data.id !== id) return <Navigate to={paths.customer(customer.data.id)} replace />
  return (
    <>
      <Link to={paths.customers} className="text-link mb-2 inline-flex min-h-11 items-center gap-2">
        <Icon name="arrow-left" />
        {t('Customers')}
      </Link>
      <QueryBoundary query={customer} errorText={customersMessages.customerFailed} timeZone={orgTimezone}>
        {(found) => <CustomerView key={found.id} customer={found} />}
      </QueryBoundary>
    </>
  )
}

function NotFound() {
  return (
    <EmptyState
      headingLevel={1}
      icon="search"
      title={customersMessages.notFoundTitle}
      action={
        <LinkButton to={paths.customers} icon="arrow-left">
          {t('Back to Customers')}
        </LinkButton>
      }
    >
      <p>{customersMessages.notFound}</p>
    </EmptyState>
  )
}
