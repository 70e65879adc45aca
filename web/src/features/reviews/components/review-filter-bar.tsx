import { useInfiniteQuery } from '@tanstack/react-query'
import { useCurrentUser } from '@/features/session/use-session'
import { t } from '@/lib/i18n'
import { ChipChoice, ChipToggle } from '@/ui/chip-choice'
import { SearchBox } from '@/ui/search-box'
import type { ReviewFilterState } from '../lib/use-review-filters'
import { NO_REVIEW_FILTERS, reviewQueries } from '../queries'
import { DayRangeChip } from './day-range-chip'

/** Where reviews stand, as far as the newest of all tell; the one that is asked for is always among them. */
function useSources(chosen: string): string[] {
  const { orgId } = useCurrentUser()
  const { data } = useInfiniteQuery(reviewQueries.list(orgId, NO_REVIEW_FILTERS))
  const known = new Set(data?.pages.flatMap(({ items }) => items.map(({ source }) => source)))
  if (chosen !== '') known.add(chosen)
  return [...known].toSorted((a, b) => a.localeCompare(b))
}

export function ReviewFilterBar({ filterState: { filters, text, change } }: { filterState: ReviewFilterState }) {
  const sources = useSources(filters.source)
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-2">
      <SearchBox
        label={t('Search reviews by name, words or source')}
        placeholder={t('Name, words or source')}
        value={text}
        onChange={(q) => change({ q })}
      />
      <ChipChoice
        legend={t('Source')}
        chips={[{ value: '', label: t('All') }, ...sources.map((value) => ({ value, label: value }))]}
        value={filters.source}
        onChange={(source) => change({ source })}
      >
        <ChipToggle
          label={t('Customer unknown')}
          checked={filters.unmatched}
          onChange={(unmatched) => change({ unmatched })}
        />
      </ChipChoice>
      <DayRangeChip days={filters} onChange={change} />
    </div>
  )
}
