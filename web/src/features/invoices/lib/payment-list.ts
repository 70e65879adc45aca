// Payment list with its drilldown filters.
import { infiniteQueryOptions, useMutation } from '@tanstack/react-query'
import { api, type Schema, unwrapWithResponse } from '@/api/client'
import { type DayRange, parseDayRange } from '@/domain/drilldown'
import { invoicesKey } from '@/domain/query-keys'
import { getAttachmentName, saveFile } from '@/lib/download'
import { type ListTotal, readListTotal } from '@/lib/list-total'
import { parseNextCursor } from '@/lib/next-cursor'
import { invoicesMessages as texts } from '../messages'

export type PaymentSummary = Schema['PaymentSummary']
export type PaymentDrilldown = Partial<DayRange> & { kind?: Schema['PaymentWay'] }

type PaymentPage = ListTotal & { payments: PaymentSummary[]; cursor: string | null }

export function parsePaymentDrilldown(params: URLSearchParams): PaymentDrilldown {
  const kind = params.get('kind')
  return { ...parseDayRange(params), ...(kind === 'payment' || kind === 'refund' ? { kind } : {}) }
}

async function fetchPage(
  query: PaymentDrilldown & { q?: string },
  cursor: string | null,
  signal: AbortSignal,
): Promise<PaymentPage> {
  const filters = { limit: 60, ...query, ...(cursor === null ? {} : { cursor }) }
  const { data: payments, response } = await unwrapWithResponse(
    api.GET('/api/payments', { params: { query: filters }, signal }),
  )
  return {
    payments,
    ...readListTotal(response, payments.length),
    cursor: parseNextCursor(response.headers.get('Link')),
  }
}

/** Under the key of the invoices: each change of money refetches both. */
export const paymentListQuery = (orgId: string, query: PaymentDrilldown & { q?: string }) =>
  infiniteQueryOptions({
    queryKey: [...invoicesKey(orgId), 'payments', query] as const,
    queryFn: ({ pageParam, signal }) => fetchPage(query, pageParam, signal),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.cursor,
    ...(query.q ? { gcTime: 60_000 } : { meta: { offline: true } }),
  })

/** Downloads the payments as they are narrowed. */
export function useExportPayments(format: 'csv' | 'json', filters: PaymentDrilldown & { q?: string }) {
  return useMutation({
    mutationFn: async () => {
      const { data, response } = await unwrapWithResponse(
        api.GET('/api/payments/export', { params: { query: { format, ...filters } }, parseAs: 'blob' }),
      )
      saveFile(data, getAttachmentName(response, `payments.${format}`))
    },
    meta: {
      success: { title: texts.export.title, description: texts.payments.exported },
      failure: texts.export.failure,
    },
  })
}
