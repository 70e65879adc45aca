// Review filters in the URL.
import { useMemo, useState } from 'react'
import { useSearchParams } from 'react-router-dom'
import { useDebounced } from '@/lib/hooks/use-debounced'
import { toReviewQuery, NO_REVIEW_FILTERS, type ReviewFilters } from '../queries'
import { parseReviewDays } from './review-days'

const SEARCH_DEBOUNCE_MS = 250

export function useReviewFilters() {
  const [params, setParams] = useSearchParams()
  const [text, setText] = useState(params.get('q') ?? '')
  const q = useDebounced(text.trim(), SEARCH_DEBOUNCE_MS)
  const source = params.get('source') ?? ''
  const unmatched = params.get('unmatched') === 'true'
  const { from, to } = parseReviewDays(params)
  const filters = useMemo<ReviewFilters>(() => ({ q, source, unmatched, from, to }), [q, source, unmatched, from, to])
  const change = (over: Partial<ReviewFilters>) => {
    if (over.q !== undefined) setText(over.q)
    setParams(toReviewQuery({ ...filters, q: text.trim(), ...over }), { replace: true })
  }
  return { filters, text, change, clear: () => change(NO_REVIEW_FILTERS) }
}

export type ReviewFilterState = ReturnType<typeof useReviewFilters>
