// 404 page for signed-in users. Visitors see the login page with a message.
import { useDocumentTitle } from '@/lib/hooks/use-document-title'
import { paths } from '@/lib/paths'
import { LinkButton } from '@/ui/button'
import { EmptyState } from '@/ui/empty-state'

export function Component() {
  useDocumentTitle('Page Not Found')
  return (
    <EmptyState
      headingLevel={1}
      icon="search"
      title="Page Not Found"
      action={
        <LinkButton to={paths.leads} icon="arrow-left">
          Back to leads
        </LinkButton>
      }
    >
      <p>There is nothing at this address. The link may be old, or mistyped.</p>
    </EmptyState>
  )
}
