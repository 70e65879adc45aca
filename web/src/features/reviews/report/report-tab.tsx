// Monthly report of review requests.
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useSearchParams } from 'react-router-dom'
import { getZoneDay } from '@/lib/format/zone-time'
import { useOnline } from '@/lib/hooks/use-online'
import { useCurrentUser } from '@/features/session/use-session'
import { t } from '@/lib/i18n'
import { Button } from '@/ui/button'
import { QueryBoundary } from '@/ui/query-boundary'
import { Skeleton } from '@/ui/skeleton'
import { isCalendarMonth } from '../lib/months'
import { reviewsMessages } from '../messages'
import { useExportReviewReport } from '../mutations'
import { reviewQueries } from '../queries'
import { MonthPager } from './month-pager'
import { ReportFigures } from './report-figures'
import { ReportRows } from './report-rows'

const texts = reviewsMessages.report

/** The month in the address, else the one that runs where the business is. */
function useMonth() {
  const { orgTimezone } = useCurrentUser()
  const [params, setParams] = useSearchParams()
  const [now] = useState(() => Date.now())
  const thisMonth = getZoneDay(orgTimezone, now).slice(0, 7)
  const monthParam = params.get('month') ?? ''
  return {
    month: isCalendarMonth(monthParam) && monthParam <= thisMonth ? monthParam : thisMonth,
    thisMonth,
    show: (month: string) => setParams({ tab: 'report', month }, { replace: true }),
  }
}

export function ReportTab() {
  const { orgId, orgTimezone } = useCurrentUser()
  const { month, thisMonth, show } = useMonth()
  const report = useQuery(reviewQueries.report(orgId, month))
  const file = useExportReviewReport(month)
  const isOnline = useOnline()
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
      <p className="max-w-[68ch] text-note text-muted">
        {t(
          'Everybody whose work was finished is asked, in the same words and with the same link, whatever they may think of it. This says who was, and why someone was not.',
        )}
      </p>
      <div className="flex flex-wrap items-center justify-between gap-2">
        <MonthPager month={month} last={thisMonth} onChange={show} />
        <Button
          variant="secondary"
          icon="download"
          className="max-sm:min-h-11! max-sm:px-3! max-sm:text-note! max-sm:[&>svg]:hidden"
          disabled={!isOnline}
          pending={file.isPending}
          pendingText={t('Exporting...')}
          onClick={() => file.mutate()}
        >
          {t('Export CSV')}
        </Button>
      </div>
      <QueryBoundary
        query={report}
        skeleton={<Skeleton className="h-56 w-full rounded-box" />}
        errorText={texts.failed}
        timeZone={orgTimezone}
        isEmpty={({ jobs }) => jobs === 0}
        empty={
          <p role="status" className="glass-card p-4 text-muted">
            {texts.none}
          </p>
        }
      >
        {(found) => (
          <>
            <ReportFigures report={found} />
            <ReportRows report={found} timeZone={orgTimezone} />
          </>
        )}
      </QueryBoundary>
    </div>
  )
}
