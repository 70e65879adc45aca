// What the list is narrowed to, kept in the address so that Back brings it again.
import { useMemo, useState } from 'react'
import { useSearchParams } from 'react-router-dom'
import { INVOICE_FILTERS } from '@/domain/invoice'
import { daysIn, daysWords } from '@/domain/behind'
import { useDebounced } from '@/lib/hooks/use-debounced'
import { askedFor, type InvoiceFilters, type InvoicesBehind } from '../queries'

const SEARCH_AFTER_MS = 250

/** What an address asks for, if there is such a status. */
function statusIn(text: string | null): InvoiceFilters['status'] {
  return INVOICE_FILTERS.find((status) => status === text) ?? ''
}

/** So many days, where the address says a number of them. */
function daysOf(text: string | null): number | undefined {
  return /^[1-9]\d{0,4}$/.test(text ?? '') ? Number(text) : undefined
}

function behindIn(params: URLSearchParams, status: InvoiceFilters['status']): InvoicesBehind {
  const [issued, overdueFrom, overdueTo] = [
    daysIn(params),
    daysOf(params.get('overdueFrom')),
    daysOf(params.get('overdueTo')),
  ]
  return { ...(issued ? { issued } : {}), ...(status === 'overdue' ? { overdueFrom, overdueTo } : {}) }
}

/** `Sep 11 – Sep 17 · issued`, `overdue 31–60 days`; nothing where no figure was opened. */
export function behindWords({ issued, overdueFrom, overdueTo }: InvoicesBehind): string | undefined {
  if (issued) return `${daysWords(issued)} · issued`
  if (overdueTo) return `overdue ${overdueFrom ?? 1}–${overdueTo} days`
  return overdueFrom ? `overdue ${overdueFrom} days or more` : undefined
}

export function useInvoiceFilters() {
  const [params, setParams] = useSearchParams()
  const [text, setText] = useState(params.get('q') ?? '')
  const q = useDebounced(text.trim(), SEARCH_AFTER_MS)
  const status = statusIn(params.get('status'))
  // The address is what is compared: what is read from it is new each time.
  const address = params.toString()
  const filters = useMemo<InvoiceFilters>(
    () => ({ status, q, ...behindIn(new URLSearchParams(address), status) }),
    [status, q, address],
  )
  const change = (over: Partial<InvoiceFilters>) => {
    if (over.q !== undefined) setText(over.q)
    // What a figure counts is counted of one status.
    const kept = over.status === undefined ? filters : { status, q }
    const asked = askedFor({ ...kept, q: text.trim(), ...over })
    setParams(
      Object.entries(asked).map(([name, value]): [string, string] => [name, String(value)]),
      { replace: true },
    )
  }
  return { filters, text, change, clear: () => change({ status: '', q: '' }) }
}

export type FilterBox = ReturnType<typeof useInvoiceFilters>
