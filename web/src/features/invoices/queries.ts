import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { api, ApiError, unwrap, unwrapWithResponse } from '@/api/client'
import type { DayRange } from '@/domain/drilldown'
import type { InvoiceFilter, InvoiceSort } from '@/domain/invoice'
import { invoicesKey, leadKey, leadMoneyKey } from '@/domain/query-keys'
import { t } from '@/lib/i18n'
import { type ListTotal, readListTotal } from '@/lib/list-total'
import { parseNextCursor } from '@/lib/next-cursor'
import type { InvoiceSummary } from './types'

/** What the list is narrowed to, and its order; an empty text means all, and no order the default. */
export type InvoiceFilters = {
  status: InvoiceFilter | ''
  q: string
  sort?: InvoiceSort | undefined
} & InvoiceDrilldown

/** What a figure counts of them: those issued on some days, or overdue for so many. */
export type InvoiceDrilldown = {
  issued?: DayRange | undefined
  overdueFrom?: number | undefined
  overdueTo?: number | undefined
}

/** One page of the list, with the number of all. */
export type InvoicePage = ListTotal & { invoices: InvoiceSummary[]; cursor: string | null }

const PAGE_SIZE = 60

/** Without empty filters. */
export function toInvoiceQuery({ status, q, sort, issued, overdueFrom, overdueTo }: InvoiceFilters) {
  return {
    ...issued,
    ...(overdueFrom ? { overdueFrom } : {}),
    ...(overdueTo ? { overdueTo } : {}),
    ...(status === '' ? {} : { status }),
    ...(q === '' ? {} : { q }),
    ...(sort ? { sort } : {}),
  }
}

async function fetchPage(filters: InvoiceFilters, cursor: string | null, signal: AbortSignal): Promise<InvoicePage> {
  const query = { limit: PAGE_SIZE, ...toInvoiceQuery(filters), ...(cursor === null ? {} : { cursor }) }
  const { data: invoices, response } = await unwrapWithResponse(api.GET('/api/invoices', { params: { query }, signal }))
  return {
    invoices,
    ...readListTotal(response, invoices.length),
    cursor: parseNextCursor(response.headers.get('Link')),
  }
}

export const invoiceQueries = {
  all: invoicesKey,
  list: (orgId: string, filters: InvoiceFilters) =>
    infiniteQueryOptions({
      queryKey: [...invoiceQueries.all(orgId), 'list', filters] as const,
      queryFn: ({ pageParam, signal }) => fetchPage(filters, pageParam, signal),
      initialPageParam: null as string | null,
      getNextPageParam: (page) => page.cursor,
      // A search is not worth keeping; how they stand is.
      ...(filters.q === '' ? { meta: { offline: true } } : { gcTime: 60_000 }),
    }),
  detail: (orgId: string, id: string) =>
    queryOptions({
      queryKey: [...invoiceQueries.all(orgId), 'detail', id] as const,
      queryFn: ({ signal }) => unwrap(api.GET('/api/invoices/{id}', { params: { path: { id } }, signal })),
      meta: { offline: true },
    }),
  /** Open invoices without reminders, and the effect of ticking each. */
  unreminded: (orgId: string) =>
    queryOptions({
      queryKey: [...invoiceQueries.all(orgId), 'unreminded'] as const,
      queryFn: ({ signal }) => unwrap(api.GET('/api/invoices/reminders', { signal })),
      staleTime: 0,
      gcTime: 0,
    }),
  /** The money of a lead with its invoices, under the lead's own key: its page asks for the same. */
  money: (orgId: string, leadId: string) =>
    queryOptions({
      queryKey: leadMoneyKey(orgId, leadId),
      queryFn: ({ signal }) => unwrap(api.GET('/api/leads/{id}/money', { params: { path: { id: leadId } }, signal })),
      meta: { offline: true },
    }),
  /** Whom it goes to, and by which ways. */
  lead: (orgId: string, leadId: string) =>
    queryOptions({
      queryKey: leadKey(orgId, leadId),
      queryFn: async ({ signal }) => {
        const answer = await unwrap(api.GET('/api/leads/{x}', { params: { path: { x: leadId } }, signal }))
        if (Array.isArray(answer))
          throw new ApiError({ status: 404, code: 'not_found', detail: t('This is not a lead.') })
        return answer
      },
      meta: { offline: true },
    }),
}
