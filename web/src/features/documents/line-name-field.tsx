// Name of a line, with matches of the price book from two letters on. Combobox with a list box (ARIA Authoring
// Practices): the field keeps the focus. The list lies in the page: a scrolling column would cut off one above it.
import { useInfiniteQuery } from '@tanstack/react-query'
import { type KeyboardEvent, useId, useState } from 'react'
import type { UseFormReturn } from 'react-hook-form'
import { classNames } from '@/lib/class-names'
import { formatCents } from '@/lib/format/money'
import { useDebounced } from '@/lib/hooks/use-debounced'
import { useOnline } from '@/lib/hooks/use-online'
import { useCurrentUser } from '@/features/session/use-session'
import { plural, t } from '@/lib/i18n'
import { documentQueries, type PriceItem } from './queries'
import { LINE_ITEM_LIMITS, type LineItemsValues } from './schema'

const SEARCH_DEBOUNCE_MS = 250
const MIN_SEARCH_LENGTH = 2
const MAX_MATCHES = 6
const NO_ITEMS: readonly PriceItem[] = []

/** The first matches for what is typed; none while nothing is asked. */
function usePriceMatches(typed: string | undefined): readonly PriceItem[] {
  const { orgId } = useCurrentUser()
  const isOnline = useOnline()
  const text = typed?.trim() ?? ''
  const q = useDebounced(text, SEARCH_DEBOUNCE_MS)
  const isAsked = isOnline && q === text && q.length >= MIN_SEARCH_LENGTH
  const { data } = useInfiniteQuery({ ...documentQueries.prices(orgId, { q, active: true }), enabled: isAsked })
  return isAsked ? (data?.pages[0]?.items.slice(0, MAX_MATCHES) ?? NO_ITEMS) : NO_ITEMS
}

const STEPS: Readonly<Record<string, (at: number, last: number) => number>> = {
  ArrowDown: (at, last) => (at >= last ? 0 : at + 1),
  ArrowUp: (at, last) => (at <= 0 ? last : at - 1),
}

type LineNameFieldProps = {
  form: UseFormReturn<LineItemsValues>
  at: number
  /** Of the label above. */ labelId: string
  describedBy: string | undefined
  onPick: (item: PriceItem) => void
  /** Enter, when no match is marked. */ onEnter: () => void
}

export function LineNameField({ form, at, labelId, describedBy, onPick, onEnter }: LineNameFieldProps) {
  const listId = useId()
  const [typed, setTyped] = useState<string>()
  const [marked, setMarked] = useState(-1)
  const items = usePriceMatches(typed)
  const { onChange, onBlur, ...field } = form.register(`lines.${at}.name`)
  const isOpen = items.length > 0
  const current = Math.min(marked, items.length - 1)
  const close = () => {
    setTyped(undefined)
    setMarked(-1)
  }
  const pick = (item: PriceItem) => {
    onPick(item)
    close()
  }
  const handleKey = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return
    const item = items[current]
    const step = isOpen ? STEPS[event.key] : undefined
    if (step) setMarked(step(current, items.length - 1))
    // Otherwise the dialog would close.
    else if (event.key === 'Escape' && isOpen) close()
    else if (event.key === 'Enter' && item) pick(item)
    else if (event.key === 'Enter') onEnter()
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <div className="grid min-w-0 gap-1">
      <input
        data-part="name"
        role="combobox"
        aria-expanded={isOpen}
        aria-controls={listId}
        aria-autocomplete="list"
        aria-activedescendant={isOpen && current >= 0 ? `${listId}-${current}` : undefined}
        aria-labelledby={labelId}
        aria-describedby={describedBy}
        aria-invalid={describedBy ? true : undefined}
        aria-required
        className="input"
        maxLength={LINE_ITEM_LIMITS.name}
        autoComplete="off"
        enterKeyHint="next"
        placeholder={t('Replace the shingles')}
        {...field}
        onChange={(event) => {
          setTyped(event.target.value)
          setMarked(-1)
          void onChange(event)
        }}
        onBlur={(event) => {
          close()
          void onBlur(event)
        }}
        onKeyDown={handleKey}
      />
      <p role="status" className="sr-only">
        {isOpen ? plural(items.length, '{count} match in the price book', '{count} matches in the price book') : ''}
      </p>
      <div
        id={listId}
        role="listbox"
        aria-label={t('Price book')}
        hidden={!isOpen}
        className="overflow-hidden rounded-field border border-primary/55"
      >
        {items.map((item, index) => (
          <PriceMatch
            key={item.id}
            id={`${listId}-${index}`}
            item={item}
            isMarked={index === current}
            onPick={() => pick(item)}
          />
        ))}
      </div>
    </div>
  )
}

type PriceMatchProps = { id: string; item: PriceItem; isMarked: boolean; onPick: () => void }

function PriceMatch({ id, item: { name, code, unit, price }, isMarked, onPick }: PriceMatchProps) {
  return (
    // The keys are those of the field.
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events
    <div
      id={id}
      role="option"
      aria-selected={isMarked}
      tabIndex={-1}
      className={classNames(
        'flex min-h-12 cursor-pointer items-center gap-3 px-3 py-1 hover:bg-primary/8',
        isMarked && 'bg-primary/12',
      )}
      // The field keeps the focus.
      onMouseDown={(event) => event.preventDefault()}
      onClick={onPick}
    >
      <span className="min-w-0 flex-1 wrap-anywhere">
        {name}
        {code && <span className="text-muted"> {code}</span>}
      </span>
      <span className="shrink-0 text-note tabular-nums">
        {formatCents(price)}
        {unit !== 'each' && <span className="text-muted"> / {unit}</span>}
      </span>
    </div>
  )
}
