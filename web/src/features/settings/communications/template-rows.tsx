// The templates as a list; each leads to its editor.
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router-dom'
import { plural, t } from '@/lib/i18n'
import { paths } from '@/lib/paths'
import { useCurrentUser } from '@/features/session/use-session'
import { EmptyState } from '@/ui/empty-state'
import { Icon } from '@/ui/icon'
import { QueryBoundary } from '@/ui/query-boundary'
import { TabSkeleton } from '../components/tab-skeleton'
import { settingsMessages } from '../messages'
import { settingsQueries } from '../queries'
import { groupTemplates, TEMPLATE_GROUPS } from './template-groups'

const countOthers = (count: number) => plural(count, '{count} other situation', '{count} other situations')

export function TemplateRows() {
  const { orgId, orgTimezone } = useCurrentUser()
  const templates = useQuery(settingsQueries.templates(orgId))
  return (
    <QueryBoundary
      query={templates}
      skeleton={<TabSkeleton />}
      errorText={settingsMessages.templatesFailed}
      timeZone={orgTimezone}
      isEmpty={(list) => list.length === 0}
      empty={
        <EmptyState icon="message" title={t('No templates')}>
          <p>{t('Templates come with your account. Reload the page to look again.')}</p>
        </EmptyState>
      }
    >
      {(list) => (
        <ul aria-label={t('Templates')} className="glass-card divide-y divide-primary/22">
          {groupTemplates(list).map(({ group, main, others }) => (
            <li key={group}>
              <Link
                to={paths.settings('templates', group)}
                className="flex min-h-16 items-center gap-3 rounded-field px-4 py-2 hover:bg-primary/8"
              >
                <Icon name={TEMPLATE_GROUPS[group].icon} className="text-primary" />
                <span className="min-w-0 flex-1">
                  <span className="block font-semibold">{main.title}</span>
                  <span className="block truncate text-note text-muted">
                    {[main.enabled ? t('On') : t('Off'), others.length > 0 ? countOthers(others.length) : '']
                      .filter(Boolean)
                      .join(', ')}
                  </span>
                </span>
                <Icon name="chevron-down" className="-rotate-90 text-muted" />
              </Link>
            </li>
          ))}
        </ul>
      )}
    </QueryBoundary>
  )
}
