// One topic: its cards, the way back on phones, and the list of all topics beside it at the desk.
import { Suspense, useState } from 'react'
import { Link, Navigate } from 'react-router-dom'
import { classNames } from '@/lib/class-names'
import { useDocumentTitle } from '@/lib/hooks/use-document-title'
import { t } from '@/lib/i18n'
import { paths } from '@/lib/paths'
import {
  findSettingsTopics,
  isSettingsTopic,
  listSettingsTopics,
  SETTINGS_GROUPS,
  SETTINGS_TOPICS,
  type SettingsTopicSlug,
} from '@/lib/settings-topics'
import { useCurrentUser } from '@/features/session/use-session'
import { ErrorBoundary } from '@/ui/error-boundary'
import { Icon } from '@/ui/icon'
import { SearchBox } from '@/ui/search-box'
import { TabSkeleton } from '../components/tab-skeleton'
import { settingsMessages as texts } from '../messages'
import { TOPIC_PANELS } from './topic-panels'

/** What has the focus scrolls into sight above the bar that saves. */
const SCROLL_MARGIN_CLASS = '[&_:is(input,textarea,select,button)]:scroll-mb-44'

type TopicPageProps = { slug: string; part: string | undefined }

export function TopicPage({ slug, part }: TopicPageProps) {
  return isSettingsTopic(slug) ? <Topic slug={slug} part={part} /> : <Navigate to={paths.settings()} replace />
}

function Topic({ slug, part }: { slug: SettingsTopicSlug; part: string | undefined }) {
  const { label, group } = SETTINGS_TOPICS.find((topic) => topic.slug === slug) ?? SETTINGS_TOPICS[0]
  useDocumentTitle(label)
  const Panel = TOPIC_PANELS[slug]
  const above = part === undefined ? paths.settingsGroup(group) : paths.settings(slug)
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-4 lg:grid-cols-[16rem_minmax(0,1fr)] lg:gap-8">
      <SideList current={slug} />
      <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
        <header>
          <Link
            to={above}
            className={classNames(
              'text-link inline-flex min-h-11 items-center gap-1.5 text-note',
              part === undefined && 'lg:hidden',
            )}
          >
            <Icon name="arrow-left" className="size-4" />
            {part === undefined ? texts.title : label}
          </Link>
          <h1 className="text-title">{label}</h1>
        </header>
        <div className={classNames('grid max-w-3xl grid-cols-[minmax(0,1fr)] gap-4', SCROLL_MARGIN_CLASS)}>
          <ErrorBoundary key={slug} screen={slug} isPart>
            <Suspense fallback={<TabSkeleton />}>
              <Panel part={part} />
            </Suspense>
          </ErrorBoundary>
        </div>
      </div>
    </div>
  )
}

function SideList({ current }: { current: SettingsTopicSlug }) {
  const [typed, setTyped] = useState('')
  const { role } = useCurrentUser()
  const topics = listSettingsTopics(role === 'owner')
  const shown = typed.trim() === '' ? topics : findSettingsTopics(topics, typed)
  return (
    <nav aria-label={t('Settings topics')} className="hidden gap-4 lg:grid">
      <SearchBox label={texts.search} placeholder={texts.searchHint} value={typed} onChange={setTyped} />
      {shown.length === 0 && <p className="text-note text-muted">{texts.found(0)}</p>}
      {SETTINGS_GROUPS.map(({ name, label }) => {
        const own = shown.filter(({ group }) => group === name)
        return (
          own.length > 0 && (
            <div key={name}>
              <Link
                to={paths.settingsGroup(name)}
                className="flex min-h-8 items-center px-3 text-caption font-semibold text-muted"
              >
                {label}
              </Link>
              <ul>
                {own.map((topic) => (
                  <li key={topic.slug}>
                    <Link
                      to={paths.settings(topic.slug)}
                      aria-current={topic.slug === current ? 'page' : undefined}
                      className="flex min-h-10 items-center rounded-field px-3 text-note hover:bg-primary/8 aria-[current]:bg-primary/12 aria-[current]:font-semibold aria-[current]:text-primary"
                    >
                      {topic.label}
                    </Link>
                  </li>
                ))}
              </ul>
            </div>
          )
        )
      })}
    </nav>
  )
}
