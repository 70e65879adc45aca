// 404 page for signed-in users. Visitors see the login page with a message.
import { useDocumentTitle } from '@/lib/hooks/use-document-title'
import { t } from '@/lib/i18n'
import { paths } from '@/lib/paths'
import { LinkButton } from '@/ui/button'
import { EmptyState } from '@/ui/empty-state'

export function Component() {
  useDocumentTitle(t('Page Not Found'))
  return (
    <EmptyState
      headingLevel={1}
      icon="search"
      title={t('Page Not Found')}
      action={
        <LinkButton to={paths.leads} icon="arrow-left">
          {t('Back to leads')}
        </LinkButton>
      }
    >
      <p>{t('There is nothing at this address. The link may be old, or mistyped.')}</p>
    </EmptyState>
  )
}
