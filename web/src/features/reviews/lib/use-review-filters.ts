// What the reviews are narrowed to, kept in the address so that Back brings it again.
import { useMemo, useState } from 'react'
import { useSearchParams } from 'react-router-dom'
import { useDebounced } from '@/lib/hooks/use-debounced'
import { askedFor, NO_FILTERS, type ReviewFilters } from '../queries'
import { daysIn } from './days'

const SEARCH_AFTER_MS = 250

export function useReviewFilters() {
  const [params, setParams] = useSearchParams()
  const [text, setText] = useState(params.get('q') ?? '')
  const q = useDebounced(text.trim(), SEARCH_AFTER_MS)
  const source = params.get('source') ?? ''
  const unmatched = params.get('unmatched') === 'true'
  const { from, to } = daysIn(params)
  const filters = useMemo<ReviewFilters>(() => ({ q, source, unmatched, from, to }), [q, source, unmatched, from, to])
  const change = (over: Partial<ReviewFilters>) => {
    if (over.q !== undefined) setText(over.q)
    setParams(askedFor({ ...filters, q: text.trim(), ...over }), { replace: true })
  }
  return { filters, text, change, clear: () => change(NO_FILTERS) }
}

export type FilterBox = ReturnType<typeof useReviewFilters>
