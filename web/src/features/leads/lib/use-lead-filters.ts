// Lead filters in the URL, remembered for each person on this device.
import { useEffect, useMemo, useState } from 'react'
import { useSearchParams } from 'react-router-dom'
import { readText, writeText } from '@/lib/storage'
import { useCurrentUser } from '@/features/session/use-session'
import {
  FILTER_PARAMS,
  type LeadFilterPatch,
  type LeadFilters,
  hasFilters,
  isNarrowing,
  parseLeadFilters,
  patchLeadFilters,
} from './lead-filters'

const NO_FILTERS: LeadFilters = {}

function writeFilters(params: URLSearchParams, filters: LeadFilters): URLSearchParams {
  for (const name of FILTER_PARAMS) {
    const value = filters[name]
    if (value === undefined) params.delete(name)
    else params.set(name, value)
  }
  return params
}

/** An address without words and filters opens the list as it was left. `isPaused`: a figure or the board has no filters. */
export function useLeadFilters(isPaused: boolean) {
  const key = `toolbox.leads.filters.${useCurrentUser().id}`
  const [params, setParams] = useSearchParams()
  const [kept, setKept] = useState(() => parseLeadFilters(new URLSearchParams(readText(localStorage, key) ?? '')))
  const isKept = !isPaused && hasFilters(kept) && [...params.keys()].every((name) => name === 'view')
  // Compared by the URL: the parsed filters are a new object each time.
  const address = params.toString()
  const filters = useMemo(() => {
    if (isPaused) return NO_FILTERS
    return isKept ? kept : parseLeadFilters(new URLSearchParams(address))
  }, [isPaused, isKept, kept, address])
  useEffect(() => {
    if (isKept) setParams((before) => writeFilters(before, kept), { replace: true })
  }, [isKept, kept, setParams])

  const keep = (next: LeadFilters) => {
    setKept(next)
    writeText(localStorage, key, new URLSearchParams(next).toString())
  }
  const show = (next: LeadFilters) => {
    keep(next)
    setParams((before) => writeFilters(before, next), { replace: true })
  }
  return {
    filters,
    isChanged: hasFilters(filters),
    isNarrowed: isNarrowing(filters),
    change: (patch: LeadFilterPatch) => show(patchLeadFilters(filters, patch)),
    clear: () => show(NO_FILTERS),
    /** For a new address without any. */
    forget: () => keep(NO_FILTERS),
  }
}

export type LeadFilterState = ReturnType<typeof useLeadFilters>
