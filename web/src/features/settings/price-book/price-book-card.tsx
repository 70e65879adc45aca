import { useInfiniteQuery } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'
import { formatCents } from '@/lib/format/money'
import { formatCount } from '@/lib/format/number'
import { useDebounced } from '@/lib/hooks/use-debounced'
import { useOnline } from '@/lib/hooks/use-online'
import { lineItemMessages } from '@/features/documents/messages'
import { documentQueries, type PriceItem } from '@/features/documents/queries'
import { useCurrentUser } from '@/features/session/use-session'
import { t } from '@/lib/i18n'
import { Badge } from '@/ui/badge'
import { Button, IconButton } from '@/ui/button'
import { Card } from '@/ui/card'
import { QueryBoundary } from '@/ui/query-boundary'
import { SearchBox } from '@/ui/search-box'
import { SkeletonLines } from '@/ui/skeleton'
import { priceBookMessages } from './messages'
import { useRestorePrice, useArchivePrice } from './mutations'

const PriceDialog = lazy(async () => ({ default: (await import('./price-dialog')).PriceDialog }))
const ImportPricesDialog = lazy(async () => ({ default: (await import('./import-dialog')).ImportPricesDialog }))

const SEARCH_DEBOUNCE_MS = 250

/** What is open over the page: a new item, one of those there are, or a list to take over. */
type OpenDialog = { item: PriceItem | undefined } | 'import'

export function PriceBookCard() {
  const { orgId, orgTimezone } = useCurrentUser()
  const [text, setText] = useState('')
  const [showsAll, setShowsAll] = useState(false)
  const [openDialog, setOpened] = useState<OpenDialog>()
  const isOnline = useOnline()
  const q = useDebounced(text.trim(), SEARCH_DEBOUNCE_MS)
  const found = useInfiniteQuery(documentQueries.prices(orgId, { q, active: showsAll ? undefined : true }))
  const pages = found.data?.pages
  const close = () => setOpened(undefined)
  return (
    <Card title={t('Price book')} icon="dollar">
      <div className="grid gap-3">
        <SearchBox
          label={t('Search the price book by name, code or description')}
          placeholder={t('Name, code or words')}
          value={text}
          onChange={setText}
        />
        <label className="flex min-h-11 w-fit cursor-pointer items-center gap-3 text-note text-muted">
          <input
            type="checkbox"
            className="checkbox checkbox-primary"
            checked={showsAll}
            onChange={(event) => setShowsAll(event.target.checked)}
          />
          {t('Also what was set aside')}
        </label>
        <QueryBoundary
          query={{ ...found, data: pages?.flatMap(({ items }) => items) }}
          skeleton={<SkeletonLines lines={4} />}
          errorText={lineItemMessages.prices.listFailed}
          timeZone={orgTimezone}
          isEmpty={(items) => items.length === 0}
          empty={
            <p role="status" className="text-note text-muted">
              {q === ''
                ? t(
                    'Nothing yet. Add what you do and sell, or take a list over from a spreadsheet: lines are then one tap.',
                  )
                : t('Nothing in the price book matches that.')}
            </p>
          }
        >
          {(items) => (
            <>
              <ul aria-label={t('Price book')} className="grid gap-2">
                {items.map((item) => (
                  <PriceRowItem key={item.id} item={item} isOnline={isOnline} onOpen={() => setOpened({ item })} />
                ))}
              </ul>
              <p className="text-caption text-muted">
                {t('{count} of {total}', {
                  count: formatCount(items.length),
                  total: formatCount(pages?.[0]?.total ?? items.length),
                })}
              </p>
            </>
          )}
        </QueryBoundary>
        {found.hasNextPage && (
          <Button
            variant="secondary"
            pending={found.isFetchingNextPage}
            pendingText={t('Loading...')}
            onClick={() => void found.fetchNextPage()}
          >
            {t('Show more')}
          </Button>
        )}
        <div className="grid gap-2 sm:grid-cols-2">
          <Button variant="secondary" icon="plus" disabled={!isOnline} onClick={() => setOpened({ item: undefined })}>
            {t('Add item')}
          </Button>
          <Button variant="secondary" icon="share-up" disabled={!isOnline} onClick={() => setOpened('import')}>
            {t('Import CSV')}
          </Button>
        </div>
        {!isOnline && <p className="text-note text-warning">{priceBookMessages.offline}</p>}
      </div>
      <Suspense fallback={null}>
        {openDialog === 'import' && <ImportPricesDialog onClose={close} />}
        {openDialog !== undefined && openDialog !== 'import' && <PriceDialog item={openDialog.item} onClose={close} />}
      </Suspense>
    </Card>
  )
}

function PriceRowItem({ item, isOnline, onOpen }: { item: PriceItem; isOnline: boolean; onOpen: () => void }) {
  const { name, code, unit, price, isActive } = item
  const setAside = useArchivePrice()
  const bringBack = useRestorePrice()
  return (
    <li className="flex min-h-12 items-center rounded-field border border-primary/30 pl-3">
      <span className="flex min-w-0 flex-1 flex-wrap items-center justify-between gap-x-3 gap-y-1 py-2">
        <span className="min-w-0">
          <span className="block font-semibold wrap-anywhere">{name}</span>
          {code && <span className="block text-note text-muted wrap-anywhere">{code}</span>}
        </span>
        <span className="text-note tabular-nums">
          {formatCents(price)} <span className="text-muted">/ {unit}</span>
        </span>
        {!isActive && (
          <Badge tone="neutral" icon="close">
            {t('Set aside')}
          </Badge>
        )}
      </span>
      <IconButton label={t('Edit {name}', { name })} icon="pencil" disabled={!isOnline} onClick={onOpen} />
      {isActive ? (
        <IconButton
          label={t('Set {name} aside', { name })}
          icon="trash"
          disabled={!isOnline || setAside.isPending}
          onClick={() => setAside.mutate(item)}
        />
      ) : (
        <IconButton
          label={t('Offer {name} again', { name })}
          icon="undo"
          disabled={!isOnline || bringBack.isPending}
          onClick={() => bringBack.mutate(item)}
        />
      )}
    </li>
  )
}
