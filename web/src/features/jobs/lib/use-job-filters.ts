// Job filters in the URL.
import { useMemo, useState } from 'react'
import { useSearchParams } from 'react-router-dom'
import { JOB_STATUSES } from '@/domain/job'
import { parseDayRange } from '@/domain/drilldown'
import { useDebounced } from '@/lib/hooks/use-debounced'
import { toJobQuery, type JobFilters, NO_JOB_FILTERS } from '../queries'

const SEARCH_DEBOUNCE_MS = 250

/** What an address asks for, if there is such a status. */
export function parseStatus(text: string | null): JobFilters['status'] {
  return Object.values(JOB_STATUSES).find(({ value }) => value === text)?.value ?? ''
}

export function useJobFilters() {
  const [params, setParams] = useSearchParams()
  const [text, setText] = useState(params.get('q') ?? '')
  const q = useDebounced(text.trim(), SEARCH_DEBOUNCE_MS)
  const status = parseStatus(params.get('status'))
  const crewId = params.get('crew') ?? ''
  const days = params.get('done') === 'true' ? parseDayRange(params) : undefined
  const [from, to] = [days?.from, days?.to]
  const filters = useMemo<JobFilters>(
    () => ({ status, crewId, q, ...(from && to ? { done: { from, to } } : {}) }),
    [status, crewId, q, from, to],
  )

  const change = (over: Partial<JobFilters>) => {
    if (over.q !== undefined) setText(over.q)
    // Days of work done are days of no other status.
    const done = over.status === undefined ? filters.done : undefined
    const { crewId: crew, ...rest } = toJobQuery({ ...filters, done, q: text.trim(), ...over })
    setParams({ ...rest, ...(crew === undefined ? {} : { crew }) }, { replace: true })
  }
  return { filters, text, change, clear: () => change(NO_JOB_FILTERS) }
}

export type JobFilterState = ReturnType<typeof useJobFilters>
