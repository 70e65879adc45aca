// The list of payments as the address narrows it: which way the money went, on which days, whose it was.
import { infiniteQueryOptions, useMutation } from '@tanstack/react-query'
import { api, type Schema, unwrapWithResponse } from '@/api/client'
import { type Days, daysIn } from '@/domain/behind'
import { invoicesKey } from '@/domain/query-keys'
import { attachmentName, saveFile } from '@/lib/download'
import { type ListTotal, listTotal } from '@/lib/list-total'
import { nextCursor } from '@/lib/next-cursor'
import { invoicesMessages as texts } from '../messages'

export type PaymentSummary = Schema['PaymentSummary']
export type PaymentsBehind = Partial<Days> & { kind?: Schema['PaymentWay'] }

type Page = ListTotal & { payments: PaymentSummary[]; cursor: string | null }

export function paymentsBehindIn(params: URLSearchParams): PaymentsBehind {
  const kind = params.get('kind')
  return { ...daysIn(params), ...(kind === 'payment' || kind === 'refund' ? { kind } : {}) }
}

async function fetchPage(
  query: PaymentsBehind & { q?: string },
  cursor: string | null,
  signal: AbortSignal,
): Promise<Page> {
  const asked = { limit: 60, ...query, ...(cursor === null ? {} : { cursor }) }
  const { data: payments, response } = await unwrapWithResponse(
    api.GET('/api/payments', { params: { query: asked }, signal }),
  )
  return { payments, ...listTotal(response, payments.length), cursor: nextCursor(response.headers.get('Link')) }
}

/** Under the key of the invoices: whatever moves money makes both be fetched anew. */
export const paymentList = (orgId: string, query: PaymentsBehind & { q?: string }) =>
  infiniteQueryOptions({
    queryKey: [...invoicesKey(orgId), 'payments', query] as const,
    queryFn: ({ pageParam, signal }) => fetchPage(query, pageParam, signal),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.cursor,
    ...(query.q ? { gcTime: 60_000 } : { meta: { offline: true } }),
  })

/** Downloads the payments as they are narrowed. */
export function useExportPayments(format: 'csv' | 'json', asked: PaymentsBehind & { q?: string }) {
  return useMutation({
    mutationFn: async () => {
      const { data, response } = await unwrapWithResponse(
        api.GET('/api/payments/export', { params: { query: { format, ...asked } }, parseAs: 'blob' }),
      )
      saveFile(data, attachmentName(response, `payments.${format}`))
    },
    meta: {
      success: { title: texts.export.title, description: texts.payments.exported },
      failure: texts.export.failure,
    },
  })
}
