// What the list is narrowed to, kept in the address so that Back brings it again.
import { useMemo, useState } from 'react'
import { useSearchParams } from 'react-router-dom'
import { INVOICE_FILTERS } from '@/domain/invoice'
import { useDebounced } from '@/lib/hooks/use-debounced'
import { askedFor, type InvoiceFilters } from '../queries'

const SEARCH_AFTER_MS = 250

/** What an address asks for, if there is such a status. */
function statusIn(text: string | null): InvoiceFilters['status'] {
  return INVOICE_FILTERS.find((status) => status === text) ?? ''
}

export function useInvoiceFilters() {
  const [params, setParams] = useSearchParams()
  const [text, setText] = useState(params.get('q') ?? '')
  const q = useDebounced(text.trim(), SEARCH_AFTER_MS)
  const status = statusIn(params.get('status'))
  const filters = useMemo<InvoiceFilters>(() => ({ status, q }), [status, q])
  const change = (over: Partial<InvoiceFilters>) => {
    if (over.q !== undefined) setText(over.q)
    setParams(askedFor({ ...filters, q: text.trim(), ...over }), { replace: true })
  }
  return { filters, text, change, clear: () => change({ status: '', q: '' }) }
}

export type FilterBox = ReturnType<typeof useInvoiceFilters>
