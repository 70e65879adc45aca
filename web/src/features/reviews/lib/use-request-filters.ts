// Request filters in the URL.
import { useMemo, useState } from 'react'
import { useSearchParams } from 'react-router-dom'
import { useDebounced } from '@/lib/hooks/use-debounced'
import { t } from '@/lib/i18n'
import { ALL_DAYS, type RequestFilters, toDaysQuery } from '../queries'
import { REQUEST_STATES, isRequestState } from './request-text'
import { parseReviewDays } from './review-days'

const SEARCH_DEBOUNCE_MS = 250

export const NO_REQUEST_FILTERS: RequestFilters = { q: '', state: '', customerId: '', ...ALL_DAYS }

/** What an address asks for, if there is such a state. */
function parseState(text: string | null): RequestFilters['state'] {
  return isRequestState(text) ? text : ''
}

function toParams({ q, state, customerId, ...days }: RequestFilters): Record<string, string> {
  return {
    tab: 'asked',
    ...(q === '' ? {} : { q }),
    ...(state === '' ? {} : { state }),
    ...(customerId === '' ? {} : { customer: customerId }),
    ...toDaysQuery(days),
  }
}

export function useRequestFilters() {
  const [params, setParams] = useSearchParams()
  const [text, setText] = useState(params.get('q') ?? '')
  const q = useDebounced(text.trim(), SEARCH_DEBOUNCE_MS)
  const state = parseState(params.get('state'))
  const customerId = params.get('customer') ?? ''
  const { from, to } = parseReviewDays(params)
  const filters = useMemo<RequestFilters>(() => ({ q, state, customerId, from, to }), [q, state, customerId, from, to])
  const change = (over: Partial<RequestFilters>) => {
    if (over.q !== undefined) setText(over.q)
    setParams(toParams({ ...filters, q: text.trim(), ...over }), { replace: true })
  }
  return { filters, text, change, clear: () => change(NO_REQUEST_FILTERS) }
}

export type RequestFilterState = ReturnType<typeof useRequestFilters>

/** The states as chips, all of them first. */
export const STATE_CHIPS = [
  { value: '', label: t('All') },
  ...Object.entries(REQUEST_STATES).map(([value, { label }]) => ({ value: value as RequestFilters['state'], label })),
] as const
