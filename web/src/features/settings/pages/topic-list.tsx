import { Link } from 'react-router-dom'
import { paths } from '@/lib/paths'
import type { SettingsTopic } from '@/lib/settings-topics'
import { Icon } from '@/ui/icon'
import type { TopicSummaries } from './topic-summaries'

type TopicListProps = { topics: readonly SettingsTopic[]; summaries: TopicSummaries }

/** One line on each topic: its present value, or what it is for. */
export function TopicList({ topics, summaries }: TopicListProps) {
  if (topics.length === 0) return null
  return (
    <ul className="glass-card min-w-0 divide-y divide-primary/22 lg:grid lg:grid-cols-2 lg:gap-x-6 lg:divide-y-0 lg:px-4">
      {topics.map(({ slug, label, icon, about }) => (
        <li key={slug}>
          <Link
            to={paths.settings(slug)}
            className="flex min-h-16 items-center gap-3 rounded-field px-4 py-2 hover:bg-primary/8 lg:px-2"
          >
            <Icon name={icon} className="text-primary" />
            <span className="min-w-0 flex-1">
              <span className="block font-semibold">{label}</span>
              <span className="block truncate text-note text-muted">{summaries[slug] ?? about}</span>
            </span>
            <Icon name="chevron-down" className="-rotate-90 text-muted" />
          </Link>
        </li>
      ))}
    </ul>
  )
}
