import { lazy, Suspense } from 'react'
import { useSearchParams } from 'react-router-dom'
import { useDocumentTitle } from '@/lib/hooks/use-document-title'
import { t } from '@/lib/i18n'
import { Skeleton } from '@/ui/skeleton'
import { type Tab, TabList, TabPanel } from '@/ui/tabs'
import { ReviewsTab } from './components/reviews-tab'
import { reviewsMessages } from './messages'

const PANELS = {
  reviews: ReviewsTab,
  asked: lazy(async () => ({ default: (await import('./requests/review-requests-tab')).ReviewRequestsTab })),
  report: lazy(async () => ({ default: (await import('./report/report-tab')).ReportTab })),
} as const

type TabName = keyof typeof PANELS

const TABS: readonly Tab<TabName>[] = [
  { name: 'reviews', label: t('Reviews') },
  { name: 'asked', label: t('Asked') },
  { name: 'report', label: t('Everybody asked?') },
]

const isTab = (name: string | null): name is TabName => name !== null && Object.hasOwn(PANELS, name)

export function Component() {
  useDocumentTitle(reviewsMessages.title)
  const [params, setParams] = useSearchParams()
  const tabParam = params.get('tab')
  const current = isTab(tabParam) ? tabParam : 'reviews'
  const Panel = PANELS[current]
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
      <h1 className="text-title">{reviewsMessages.title}</h1>
      <TabList
        label={t('Reviews')}
        id="reviews"
        tabs={TABS}
        current={current}
        onChange={(name) => setParams(name === 'reviews' ? {} : { tab: name }, { replace: true })}
      />
      <TabPanel key={current} id="reviews" name={current}>
        <Suspense fallback={<Skeleton className="h-56 w-full rounded-box" />}>
          <Panel />
        </Suspense>
      </TabPanel>
    </div>
  )
}
