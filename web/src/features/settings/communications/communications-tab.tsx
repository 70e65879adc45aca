import { useQuery } from '@tanstack/react-query'
import { useCurrentUser } from '@/features/session/use-session'
import { EmptyState } from '@/ui/empty-state'
import { QueryBoundary } from '@/ui/query-boundary'
import { TabSkeleton } from '../components/tab-skeleton'
import { settingsMessages } from '../messages'
import { settingsQueries } from '../queries'
import { groupTemplates } from './template-groups'
import { TemplateCard } from './template-card'

export function CommunicationsTab() {
  const { orgId, orgTimezone } = useCurrentUser()
  const templates = useQuery(settingsQueries.templates(orgId))
  const settings = useQuery(settingsQueries.settings(orgId))
  return (
    <QueryBoundary
      query={templates}
      skeleton={<TabSkeleton />}
      errorText={settingsMessages.templatesFailed}
      timeZone={orgTimezone}
      isEmpty={(list) => list.length === 0}
      empty={
        <EmptyState icon="message" title="No templates">
          <p>Templates come with your account. Reload the page to look again.</p>
        </EmptyState>
      }
    >
      {(list) => (
        <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
          <p className="max-w-[68ch] text-note text-muted">
            Words in {'{{ }}'} are filled in for each customer. What stands between {'{% if … %}'} and {'{% endif %}'}{' '}
            is left out when there is nothing to fill in.
          </p>
          {groupTemplates(list).map((editor) => (
            <TemplateCard key={editor.group} editor={editor} switches={settings.data?.switches} />
          ))}
        </div>
      )}
    </QueryBoundary>
  )
}
