// Which of those who were asked are listed, kept in the address so that Back brings it again.
import { useMemo, useState } from 'react'
import { useSearchParams } from 'react-router-dom'
import { useDebounced } from '@/lib/hooks/use-debounced'
import { ALL_DAYS, type AskFilters, daysAskedFor } from '../queries'
import { ASK_STATES, isAskState } from './ask-words'
import { daysIn } from './days'

const SEARCH_AFTER_MS = 250

export const NO_ASK_FILTERS: AskFilters = { q: '', state: '', customerId: '', ...ALL_DAYS }

/** What an address asks for, if there is such a state. */
function stateIn(text: string | null): AskFilters['state'] {
  return isAskState(text) ? text : ''
}

function toParams({ q, state, customerId, ...days }: AskFilters): Record<string, string> {
  return {
    tab: 'asked',
    ...(q === '' ? {} : { q }),
    ...(state === '' ? {} : { state }),
    ...(customerId === '' ? {} : { customer: customerId }),
    ...daysAskedFor(days),
  }
}

export function useAskFilters() {
  const [params, setParams] = useSearchParams()
  const [text, setText] = useState(params.get('q') ?? '')
  const q = useDebounced(text.trim(), SEARCH_AFTER_MS)
  const state = stateIn(params.get('state'))
  const customerId = params.get('customer') ?? ''
  const { from, to } = daysIn(params)
  const filters = useMemo<AskFilters>(() => ({ q, state, customerId, from, to }), [q, state, customerId, from, to])
  const change = (over: Partial<AskFilters>) => {
    if (over.q !== undefined) setText(over.q)
    setParams(toParams({ ...filters, q: text.trim(), ...over }), { replace: true })
  }
  return { filters, text, change, clear: () => change(NO_ASK_FILTERS) }
}

export type AskFilterBox = ReturnType<typeof useAskFilters>

/** The states as chips, all of them first. */
export const STATE_CHIPS = [
  { value: '', label: 'All' },
  ...Object.entries(ASK_STATES).map(([value, { label }]) => ({ value: value as AskFilters['state'], label })),
] as const
