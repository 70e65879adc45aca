// The index: a search box and five groups of topics, each with its present value.
import { useState } from 'react'
import { Navigate, useLocation, useSearchParams } from 'react-router-dom'
import { useDocumentTitle } from '@/lib/hooks/use-document-title'
import { t } from '@/lib/i18n'
import { paths } from '@/lib/paths'
import {
  findSettingsTopics,
  findTopicOfOldLink,
  isSettingsGroup,
  listSettingsTopics,
  SETTINGS_GROUPS,
} from '@/lib/settings-topics'
import { useCurrentUser } from '@/features/session/use-session'
import { SearchBox } from '@/ui/search-box'
import { TabList, TabPanel } from '@/ui/tabs'
import { TemplateRows } from '../communications/template-rows'
import { settingsMessages as texts } from '../messages'
import { TopicList } from './topic-list'
import { useTopicSummaries } from './use-topic-summaries'

export function SettingsIndex() {
  const [params] = useSearchParams()
  const { hash } = useLocation()
  const moved = findTopicOfOldLink(params.get('tab'), hash)
  if (moved === undefined) return <TopicIndex />
  // Stripe leads back with words of its own in the address.
  const rest = new URLSearchParams(params)
  rest.delete('tab')
  const query = rest.size > 0 ? `?${rest.toString()}` : ''
  return <Navigate to={`${paths.settings(moved)}${query}`} replace />
}

function TopicIndex() {
  useDocumentTitle(texts.title)
  const [params, setParams] = useSearchParams()
  const [typed, setTyped] = useState('')
  const { role } = useCurrentUser()
  const summaries = useTopicSummaries()
  const topics = listSettingsTopics(role === 'owner')
  const tab = params.get('tab')
  const current = isSettingsGroup(tab) ? tab : 'organization'
  const found = findSettingsTopics(topics, typed)
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
      <h1 className="text-title">{texts.heading}</h1>
      <SearchBox label={texts.search} placeholder={texts.searchHint} value={typed} onChange={setTyped} />
      {typed.trim() === '' ? (
        <>
          <TabList
            label={t('Settings')}
            id="settings"
            tabs={SETTINGS_GROUPS}
            current={current}
            onChange={(name) => setParams({ tab: name }, { replace: true })}
          />
          <TabPanel id="settings" name={current} className="grid grid-cols-[minmax(0,1fr)] gap-4">
            <TopicList topics={topics.filter(({ group }) => group === current)} summaries={summaries} />
            {current === 'communications' && <TemplateRows />}
          </TabPanel>
        </>
      ) : (
        <section aria-label={t('Found settings')}>
          <p role="status" className="mb-2 text-note text-muted">
            {texts.found(found.length)}
          </p>
          <TopicList topics={found} summaries={summaries} />
        </section>
      )}
    </div>
  )
}
