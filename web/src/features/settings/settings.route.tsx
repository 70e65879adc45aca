import { lazy, Suspense } from 'react'
import { useParams } from 'react-router-dom'
import { ErrorBoundary } from '@/ui/error-boundary'
import { UnsavedChangesGuard } from '@/ui/unsaved-changes-guard'
import { TabSkeleton } from './components/tab-skeleton'

const SettingsIndex = lazy(async () => ({ default: (await import('./pages/settings-index')).SettingsIndex }))
const TopicPage = lazy(async () => ({ default: (await import('./pages/topic-page')).TopicPage }))

export function Component() {
  const { topic, part } = useParams()
  return (
    <>
      {/* Neither is cached offline: what fails to load keeps the way to other screens. */}
      <ErrorBoundary key={topic ?? ''} screen={topic ?? 'settings'} isPart>
        <Suspense fallback={<TabSkeleton />}>
          {topic === undefined ? <SettingsIndex /> : <TopicPage slug={topic} part={part} />}
        </Suspense>
      </ErrorBoundary>
      <UnsavedChangesGuard />
    </>
  )
}
