import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { createPortal } from 'react-dom'
import { formatCents } from '@/lib/format/money'
import { useDebounced } from '@/lib/hooks/use-debounced'
import { useCurrentUser } from '@/features/session/use-session'
import { t } from '@/lib/i18n'
import { Button } from '@/ui/button'
import { Dialog } from '@/ui/dialog'
import { Icon } from '@/ui/icon'
import { QueryBoundary } from '@/ui/query-boundary'
import { SearchBox } from '@/ui/search-box'
import { SkeletonLines } from '@/ui/skeleton'
import { StatusLine } from '@/ui/status-line'
import { lineItemMessages } from './messages'
import { documentQueries, type PriceItem } from './queries'

const SEARCH_DEBOUNCE_MS = 250

type PricePickerProps = { onPick: (item: PriceItem) => void; onClose: () => void }

export function PricePicker({ onPick, onClose }: PricePickerProps) {
  const { orgId, orgTimezone } = useCurrentUser()
  const [text, setText] = useState('')
  const q = useDebounced(text.trim(), SEARCH_DEBOUNCE_MS)
  const found = useInfiniteQuery(documentQueries.prices(orgId, { q, active: true }))
  const [picked, setPicked] = useState<readonly string[]>([])
  const pick = (item: PriceItem) => {
    onPick(item)
    setPicked([...picked, item.id])
  }
  // Outside of the form it is picked for: Enter in its search must not send that.
  return createPortal(
    <Dialog
      open
      onClose={onClose}
      title={t('From the price book')}
      actions={
        <Button icon="check" onClick={onClose}>
          {picked.length === 0 ? t('Close') : t('Done, {count} added', { count: picked.length })}
        </Button>
      }
    >
      <div className="grid gap-3">
        <SearchBox
          label={t('Search the price book by name or code')}
          placeholder={t('Name or code')}
          value={text}
          onChange={setText}
        />
        <QueryBoundary
          query={{ ...found, data: found.data?.pages.flatMap(({ items }) => items) }}
          skeleton={<SkeletonLines lines={4} />}
          errorText={lineItemMessages.prices.listFailed}
          timeZone={orgTimezone}
          isEmpty={(items) => items.length === 0}
          empty={
            <p role="status" className="text-muted">
              {q === ''
                ? t('The price book is empty. Fill it under Settings, Price book.')
                : t('Nothing in the price book matches that.')}
            </p>
          }
        >
          {(items) => (
            <ul aria-label={t('Price book')} className="grid gap-2">
              {items.map((item) => (
                <PriceOption
                  key={item.id}
                  item={item}
                  count={picked.filter((id) => id === item.id).length}
                  onPick={() => pick(item)}
                />
              ))}
            </ul>
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
      </div>
    </Dialog>,
    document.body,
  )
}

function PriceOption({
  item: { name, code, description, unit, price },
  count,
  onPick,
}: {
  item: PriceItem
  count: number
  onPick: () => void
}) {
  return (
    <li>
      <button
        type="button"
        className="flex min-h-12 w-full items-center gap-3 rounded-field border border-primary/22 px-3 py-2 text-left hover:bg-primary/8"
        onClick={onPick}
      >
        <span className="min-w-0 flex-1">
          <span className="block font-semibold wrap-anywhere">
            {name}
            {code && <span className="font-normal text-muted"> {code}</span>}
          </span>
          {description && <span className="line-clamp-2 text-note text-muted wrap-anywhere">{description}</span>}
          {count > 0 && (
            <StatusLine tone="success" icon="check">
              {count === 1 ? t('Added') : t('Added {count} times', { count })}
            </StatusLine>
          )}
        </span>
        <span className="shrink-0 text-right tabular-nums">
          {formatCents(price)}
          <span className="block text-caption text-muted">{unit === 'each' ? t('each') : unit}</span>
        </span>
        <Icon name="plus" className="text-primary" />
      </button>
    </li>
  )
}
