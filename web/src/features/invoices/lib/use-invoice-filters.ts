// Invoice filters in the URL.
import { useMemo, useState } from 'react'
import { useSearchParams } from 'react-router-dom'
import { DEFAULT_INVOICE_SORT, INVOICE_FILTERS, INVOICE_SORTS, type InvoiceSort } from '@/domain/invoice'
import { parseDayRange, formatDayRange } from '@/domain/drilldown'
import { useDebounced } from '@/lib/hooks/use-debounced'
import { t } from '@/lib/i18n'
import { toInvoiceQuery, type InvoiceFilters, type InvoiceDrilldown } from '../queries'

const SEARCH_DEBOUNCE_MS = 250

/** What an address asks for, if there is such a status. */
function parseStatus(text: string | null): InvoiceFilters['status'] {
  return INVOICE_FILTERS.find((status) => status === text) ?? ''
}

/** What an address asks for, unless it is the default. */
function parseSort(text: string | null): InvoiceSort | undefined {
  const sort = (Object.keys(INVOICE_SORTS) as InvoiceSort[]).find((known) => known === text)
  return sort === DEFAULT_INVOICE_SORT ? undefined : sort
}

/** So many days, where the address says a number of them. */
function parseDayCount(text: string | null): number | undefined {
  return /^[1-9]\d{0,4}$/.test(text ?? '') ? Number(text) : undefined
}

function parseInvoiceDrilldown(params: URLSearchParams, status: InvoiceFilters['status']): InvoiceDrilldown {
  const [issued, overdueFrom, overdueTo] = [
    parseDayRange(params),
    parseDayCount(params.get('overdueFrom')),
    parseDayCount(params.get('overdueTo')),
  ]
  return { ...(issued ? { issued } : {}), ...(status === 'overdue' ? { overdueFrom, overdueTo } : {}) }
}

/** `Sep 11 – Sep 17 · issued`, `overdue 31–60 days`; nothing where no figure was opened. */
export function describeInvoiceDrilldown({ issued, overdueFrom, overdueTo }: InvoiceDrilldown): string | undefined {
  if (issued) return t('{days} · issued', { days: formatDayRange(issued) })
  if (overdueTo) return t('overdue {from}–{to} days', { from: overdueFrom ?? 1, to: overdueTo })
  return overdueFrom ? t('overdue {count} days or more', { count: overdueFrom }) : undefined
}

export function useInvoiceFilters() {
  const [params, setParams] = useSearchParams()
  const [text, setText] = useState(params.get('q') ?? '')
  const q = useDebounced(text.trim(), SEARCH_DEBOUNCE_MS)
  const status = parseStatus(params.get('status'))
  const sort = parseSort(params.get('sort'))
  // Compared by the URL: the parsed filters are a new object each time.
  const address = params.toString()
  const filters = useMemo<InvoiceFilters>(
    () => ({ status, q, ...(sort && { sort }), ...parseInvoiceDrilldown(new URLSearchParams(address), status) }),
    [status, q, sort, address],
  )
  const change = (over: Partial<InvoiceFilters>) => {
    if (over.q !== undefined) setText(over.q)
    // What a figure counts is counted of one status.
    const base = over.status === undefined ? filters : { status, q, sort }
    const query = toInvoiceQuery({ ...base, q: text.trim(), ...over, sort: 'sort' in over ? over.sort : sort })
    setParams(
      Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
      { replace: true },
    )
  }
  return { filters, text, change, clear: () => change({ status: '', q: '' }) }
}

export type InvoiceFilterState = ReturnType<typeof useInvoiceFilters>
