import { useInfiniteQuery } from '@tanstack/react-query'
import { formatDayRange } from '@/domain/drilldown'
import { useDrilldown } from '@/domain/use-drilldown'
import { formatCents } from '@/lib/format/money'
import { formatCount } from '@/lib/format/number'
import { useDebounced } from '@/lib/hooks/use-debounced'
import { useDocumentTitle } from '@/lib/hooks/use-document-title'
import { useSearchText } from '@/lib/hooks/use-search-text'
import { plural, t } from '@/lib/i18n'
import { paths } from '@/lib/paths'
import { useCurrentUser } from '@/features/session/use-session'
import { Button, LinkButton } from '@/ui/button'
import { EmptyState } from '@/ui/empty-state'
import { ExportButtonPair } from '@/ui/export-button-pair'
import { FilterBanner } from '@/ui/filter-banner'
import { QueryBoundary } from '@/ui/query-boundary'
import { SearchBox } from '@/ui/search-box'
import { Skeleton } from '@/ui/skeleton'
import { PaymentRows } from './components/payment-rows'
import { paymentListQuery, type PaymentDrilldown, parsePaymentDrilldown, useExportPayments } from './lib/payment-list'
import { invoicesMessages } from './messages'

const texts = invoicesMessages.payments

export function Component() {
  useDocumentTitle(texts.title)
  const { orgId, orgTimezone } = useCurrentUser()
  const { drilldown, clear } = useDrilldown(parsePaymentDrilldown)
  const [text, search] = useSearchText()
  const q = useDebounced(text.trim(), 250)
  const query = { ...drilldown, ...(q === '' ? {} : { q }) }
  const list = useInfiniteQuery(paymentListQuery(orgId, query))
  const [page] = list.data?.pages ?? []
  const drilldownText = describePaymentDrilldown(drilldown)
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
      <header className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <h1 className="flex-1 text-title">{texts.title}</h1>
        <LinkButton variant="secondary" to={paths.invoices}>
          {t('Invoices')}
        </LinkButton>
        <div className="max-sm:basis-full">
          <ExportButtonPair csv={useExportPayments('csv', query)} json={useExportPayments('json', query)} />
        </div>
      </header>
      <SearchBox
        label={t('Search payments by customer, reference or receipt')}
        placeholder={t('Customer, reference or receipt')}
        value={text}
        onChange={search}
      />
      {drilldownText && <FilterBanner label={drilldownText} onClear={clear} />}
      <QueryBoundary
        query={{ ...list, data: list.data?.pages.flatMap(({ payments }) => payments) }}
        skeleton={<Skeleton className="h-96 w-full rounded-box" />}
        errorText={texts.failed}
        timeZone={orgTimezone}
        isEmpty={(payments) => payments.length === 0}
        empty={
          <div className="glass-card">
            <EmptyState
              icon="dollar"
              title={drilldownText || q ? texts.noMatch : texts.none}
              action={
                (drilldownText || q) && (
                  <Button variant="secondary" icon="close" onClick={() => search('', true)}>
                    {t('Show all payments')}
                  </Button>
                )
              }
            />
          </div>
        }
      >
        {(payments) => (
          <div className="grid gap-3">
            {page && (
              <p role="status" className="font-semibold tabular-nums">
                {plural(page.total, '{count} row', '{count} rows', { count: formatCount(page.total) })}
                {page.amount !== undefined && ` · ${formatCents(page.amount)}`}
              </p>
            )}
            <PaymentRows payments={payments} />
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
    </div>
  )
}

/** `Sep 11 – Sep 17 · refunds`; nothing where all are shown. */
function describePaymentDrilldown({ from, to, kind }: PaymentDrilldown): string | undefined {
  const parts = [
    ...(from && to ? [formatDayRange({ from, to })] : []),
    ...(kind ? [kind === 'refund' ? t('refunds') : t('money that came in')] : []),
  ]
  return parts.length > 0 ? parts.join(' · ') : undefined
}
