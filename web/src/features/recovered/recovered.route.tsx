// Recovered revenue: totals, cases, holdout results.
import { useInfiniteQuery, usePrefetchInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useSearchParams } from 'react-router-dom'
import { type DayRange, parseDayRange, formatDayRange } from '@/domain/drilldown'
import { formatCents } from '@/lib/format/money'
import { formatCount } from '@/lib/format/number'
import { getZoneDay } from '@/lib/format/zone-time'
import { useDocumentTitle } from '@/lib/hooks/use-document-title'
import { plural, t } from '@/lib/i18n'
import { paths } from '@/lib/paths'
import { useCurrentUser } from '@/features/session/use-session'
import { Button, LinkButton } from '@/ui/button'
import { ChipChoice } from '@/ui/chip-choice'
import { EmptyState } from '@/ui/empty-state'
import { Notice } from '@/ui/notice'
import { QueryBoundary } from '@/ui/query-boundary'
import { Skeleton } from '@/ui/skeleton'
import { MissedCallFunnelCard } from './components/missed-call-funnel-card'
import { AttributionCard } from './components/attribution-card'
import { HoldoutResultsCard } from './components/holdout-results-card'
import { RecoveredTotalsCard } from './components/recovered-totals-card'
import { RECOVERY_CATEGORIES, RECOVERY_CATEGORY_NAMES } from './lib/labels'
import { recoveredMessages as texts } from './messages'
import { type RecoveredQuery, type RecoveryCategory, recoveredQueries, useExportChains } from './queries'

const LENGTHS = [
  { value: '7', label: t('7 days') },
  { value: '30', label: t('30 days') },
  { value: '90', label: t('90 days') },
  { value: '365', label: t('12 months') },
] as const
const DEFAULT_LENGTH = '30'

/** The days and the category as the address says them, so that Back and a reload bring them again. */
function useRecoveredQuery(today: string) {
  const [params, setParams] = useSearchParams()
  const category = RECOVERY_CATEGORY_NAMES.find((name) => name === params.get('category'))
  const last = (days: string): DayRange => ({ from: getZoneDay('UTC', Date.parse(today), 1 - Number(days)), to: today })
  const days = parseDayRange(params) ?? last(DEFAULT_LENGTH)
  const length = LENGTHS.find(({ value }) => days.to === today && days.from === last(value).from)?.value
  const change = (parts: Partial<Record<'from' | 'to' | 'category', string | undefined>>) =>
    setParams(
      (before) => {
        for (const [name, value] of Object.entries(parts)) {
          if (value === undefined) before.delete(name)
          else before.set(name, value)
        }
        return before
      },
      { replace: true },
    )
  return {
    days,
    length,
    category,
    choose: (chosen: RecoveryCategory | undefined) => change({ category: chosen }),
    spanOf: (value: string) => change(last(value)),
  }
}

export function Component() {
  useDocumentTitle(texts.title)
  const { orgId, orgTimezone } = useCurrentUser()
  const [today] = useState(() => getZoneDay(orgTimezone, Date.now()))
  const { days, length, category, choose, spanOf } = useRecoveredQuery(today)
  const query = { ...days, ...(category ? { category } : {}) }
  const sums = useQuery(recoveredQueries.sums(orgId, days))
  // They stand below the sums, which would push them away: fetched together, shown after them.
  usePrefetchInfiniteQuery(recoveredQueries.chains(orgId, query))
  const file = useExportChains(query)
  const other = length === undefined ? [{ value: 'other', label: formatDayRange(days) }] : []
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
      <header className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <h1 className="flex-1 text-title">{texts.title}</h1>
        <Button
          variant="secondary"
          icon="download"
          pending={file.isPending}
          pendingText={t('Exporting...')}
          onClick={() => file.mutate()}
        >
          {t('Export CSV')}
        </Button>
        <div className="basis-full">
          <p className="max-w-[68ch] text-note text-muted">{texts.lead}</p>
        </div>
      </header>
      <ChipChoice
        legend={t('Days')}
        chips={[...other, ...LENGTHS]}
        value={length ?? 'other'}
        onChange={(value) => value !== 'other' && spanOf(value)}
      />
      <QueryBoundary
        query={sums}
        skeleton={<Skeleton className="h-96 w-full rounded-box" />}
        errorText={texts.failed}
        timeZone={orgTimezone}
      >
        {(found) => (
          <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
            {!found.isCounted && (
              <Notice tone="info" title={texts.counting}>
                {texts.countingWhy}
              </Notice>
            )}
            <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-4 lg:grid-cols-2">
              <RecoveredTotalsCard sums={found} chosen={category} onChoose={choose} />
              <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
                <MissedCallFunnelCard callers={found.callers} />
                <HoldoutResultsCard gains={found.holdOut} timeZone={orgTimezone} />
              </div>
            </div>
          </div>
        )}
      </QueryBoundary>
      {!sums.isPending && <AttributionList query={query} />}
    </div>
  )
}

function AttributionList({ query }: { query: RecoveredQuery }) {
  const { orgId, orgTimezone } = useCurrentUser()
  const list = useInfiniteQuery(recoveredQueries.chains(orgId, query))
  const [page] = list.data?.pages ?? []
  return (
    <section aria-labelledby="cases" className="grid grid-cols-[minmax(0,1fr)] gap-3">
      <h2 id="cases" className="text-section">
        {query.category
          ? t('Cases: {category}', { category: RECOVERY_CATEGORIES[query.category].label.toLowerCase() })
          : t('Cases')}
      </h2>
      <QueryBoundary
        query={{ ...list, data: list.data?.pages.flatMap(({ chains }) => chains) }}
        skeleton={<Skeleton className="h-64 w-full rounded-box" />}
        errorText={texts.chainsFailed}
        timeZone={orgTimezone}
        isEmpty={(chains) => chains.length === 0}
        empty={
          <div className="glass-card">
            <EmptyState
              icon="dollar"
              title={texts.noneTitle}
              action={
                <LinkButton variant="secondary" to={paths.settings('automations')}>
                  {t('Look at the automations')}
                </LinkButton>
              }
            >
              {texts.none}
            </EmptyState>
          </div>
        }
      >
        {(chains) => (
          <div className="grid gap-3">
            {page && (
              <p role="status" className="font-semibold tabular-nums">
                {plural(page.total, '{count} case', '{count} cases', { count: formatCount(page.total) })}
                {page.amount !== undefined && ` · ${formatCents(page.amount)}`}
              </p>
            )}
            <ul aria-label={t('Cases, the newest money first')} className="grid items-start gap-3 lg:grid-cols-2">
              {chains.map((chain) => (
                <AttributionCard key={chain.id} chain={chain} timeZone={orgTimezone} />
              ))}
            </ul>
            {list.hasNextPage && (
              <Button
                variant="secondary"
                className="justify-self-center"
                pending={list.isFetchingNextPage}
                pendingText={t('Loading...')}
                onClick={() => void list.fetchNextPage()}
              >
                {t('Show more')}
              </Button>
            )}
          </div>
        )}
      </QueryBoundary>
    </section>
  )
}
