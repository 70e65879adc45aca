import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'
import { formatCount } from '@/lib/format/number'
import { useOnline } from '@/lib/hooks/use-online'
import { useCurrentUser } from '@/features/session/use-session'
import { t } from '@/lib/i18n'
import { Button } from '@/ui/button'
import { ExportButtonPair } from '@/ui/export-button-pair'
import { reviewsMessages } from '../messages'
import { useExportReviews } from '../mutations'
import { type ReviewFilters, reviewQueries } from '../queries'
import type { ReviewSummary } from '../types'

const AddReviewDialog = lazy(async () => ({ default: (await import('../actions/add-dialog')).AddReviewDialog }))
const ImportReviewsDialog = lazy(async () => ({
  default: (await import('../actions/import-dialog')).ImportReviewsDialog,
}))

type ReviewsToolbarProps = {
  filters: ReviewFilters
  /** There is none at all: nothing to count, nothing to take away. */ isEmpty: boolean
}

export function ReviewsToolbar({ filters, isEmpty }: ReviewsToolbarProps) {
  const isOnline = useOnline()
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-2">
      {!isEmpty && <ReviewCounts />}
      {/* On a phone beside the count, on a desk beside the other ways. */}
      {!isEmpty && (
        <div className="sm:order-last">
          <ExportButtons filters={filters} />
        </div>
      )}
      <AddButtons isOnline={isOnline} />
      {!isOnline && <p className="order-last w-full text-note text-warning">{reviewsMessages.offline}</p>}
    </div>
  )
}

function ReviewCounts() {
  const { orgId } = useCurrentUser()
  const { data } = useQuery(reviewQueries.summary(orgId))
  return (
    <div className="min-h-11 tabular-nums max-sm:basis-full sm:mr-auto">
      <p className="font-semibold whitespace-nowrap">
        {data && t('Total reviews: {total}', { total: formatCount(data.total) })}
      </p>
      <p className="text-note text-muted">{data && formatSummary(data)}</p>
    </div>
  )
}

/** `4.83 on average, 230 asked` */
function formatSummary({ average, requested }: ReviewSummary): string {
  return [
    typeof average === 'number' && t('{average} on average', { average }),
    t('{count} asked', { count: formatCount(requested) }),
  ]
    .filter(Boolean)
    .join(', ')
}

function ExportButtons({ filters }: { filters: ReviewFilters }) {
  return <ExportButtonPair csv={useExportReviews('csv', filters)} json={useExportReviews('json', filters)} />
}

function AddButtons({ isOnline }: { isOnline: boolean }) {
  const [openDialog, setOpened] = useState<'add' | 'import'>()
  const close = () => setOpened(undefined)
  return (
    <div className="grid grid-cols-2 gap-2 max-sm:w-full sm:flex">
      <Button icon="plus" disabled={!isOnline} onClick={() => setOpened('add')}>
        {t('Add review')}
      </Button>
      <Button variant="secondary" icon="share-up" disabled={!isOnline} onClick={() => setOpened('import')}>
        {t('Import CSV')}
      </Button>
      <Suspense fallback={null}>
        {openDialog === 'add' && <AddReviewDialog onClose={close} />}
        {openDialog === 'import' && <ImportReviewsDialog onClose={close} />}
      </Suspense>
    </div>
  )
}
