// Message templates: the list of them, or one with its editor.
import { useQuery } from '@tanstack/react-query'
import { useCurrentUser } from '@/features/session/use-session'
import { t } from '@/lib/i18n'
import { EmptyState } from '@/ui/empty-state'
import { QueryBoundary } from '@/ui/query-boundary'
import { TabSkeleton } from '../components/tab-skeleton'
import { settingsMessages } from '../messages'
import { settingsQueries } from '../queries'
import { TemplateCard } from './template-card'
import { groupTemplates } from './template-groups'
import { TemplateRows } from './template-rows'

export function TemplatesPage({ group }: { group: string | undefined }) {
  const { orgId, orgTimezone } = useCurrentUser()
  const templates = useQuery(settingsQueries.templates(orgId))
  const settings = useQuery(settingsQueries.settings(orgId))
  if (group === undefined) return <TemplateRows />
  return (
    <QueryBoundary
      query={templates}
      skeleton={<TabSkeleton />}
      errorText={settingsMessages.templatesFailed}
      timeZone={orgTimezone}
    >
      {(list) => {
        const editor = groupTemplates(list).find((one) => one.group === group)
        return editor ? (
          <TemplateCard key={editor.group} editor={editor} switches={settings.data?.switches} />
        ) : (
          <EmptyState icon="message" title={t('No template of this name')}>
            {t('Choose one of the list of message templates.')}
          </EmptyState>
        )
      }}
    </QueryBoundary>
  )
}
