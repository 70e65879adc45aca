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
import { InvoiceScreen } from './components/invoice-screen'
import { invoicesMessages } from './messages'
import { formatInvoiceName } from './mutations'
import { invoiceQueries } from './queries'

/** An address that names no invoice at all is answered like one that names an invoice that is gone. */
function isNotFound(error: Error): boolean {
  return error instanceof ApiError && (error.status === 404 || error.status === 400 || error.status === 422)
}

export function Component() {
  const { id = '' } = useParams()
  const { orgId, orgTimezone } = useCurrentUser()
  const invoice = useQuery(invoiceQueries.detail(orgId, id))
  useDocumentTitle(invoice.data ? formatInvoiceName(invoice.data) : t('Invoice'))
  if (invoice.error && isNotFound(invoice.error)) return <NotFound />
  return (
    <>
      <Link to={paths.invoices} className="text-link mb-2 inline-flex min-h-11 items-center gap-2">
        <Icon name="arrow-left" />
        {t('Invoices')}
      </Link>
      <QueryBoundary query={invoice} errorText={invoicesMessages.invoiceFailed} timeZone={orgTimezone}>
        {(found) => <InvoiceScreen key={found.id} invoice={found} />}
      </QueryBoundary>
    </>
  )
}

function NotFound() {
  return (
    <EmptyState
      headingLevel={1}
      icon="search"
      title={invoicesMessages.notFoundTitle}
      action={
        <LinkButton to={paths.invoices} icon="arrow-left">
          {t('Back to Invoices')}
        </LinkButton>
      }
    >
      <p>{invoicesMessages.notFound}</p>
    </EmptyState>
  )
}
