// Message for crew members at an office path; fetches nothing.
import { t } from '@/lib/i18n'
import { paths } from '@/lib/paths'
import { LinkButton } from '@/ui/button'
import { EmptyState } from '@/ui/empty-state'

export function OfficeOnly() {
  return (
    <EmptyState
      headingLevel={1}
      icon="shield"
      title={t('This is for the office')}
      action={
        <LinkButton to={paths.today} icon="arrow-left">
          {t('Back to Today')}
        </LinkButton>
      }
    >
      <p>{t('Your jobs are under Today. Ask the owner of your account when you should see more.')}</p>
    </EmptyState>
  )
}
