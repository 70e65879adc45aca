import { type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query'
import { api, type Schema, unwrap, unwrapWithResponse } from '@/api/client'
import { moneyRelatedKeys as around, useUndoPayment } from '@/features/ledger/mutations'
import { type ExportFormat, getAttachmentName, saveFile } from '@/lib/download'
import { formatCents } from '@/lib/format/money'
import { plural, t } from '@/lib/i18n'
import { clearSubmissionKey, getSubmissionKey } from '@/lib/submission-key'
import { describeSending } from '@/features/documents/channel-text'
import { useCurrentUser } from '@/features/session/use-session'
import { toast } from '@/ui/toast/toast-store'
import { invoicesMessages as texts } from './messages'
import { toInvoiceQuery, type InvoiceFilters, invoiceQueries } from './queries'
import type { InvoicePatch, InvoiceView, NewInvoice, DeliveryChannels } from './types'

/** `INV-1001`, or what a draft is called. */
export const formatInvoiceName = ({ number }: { number?: string | null }) => number ?? t('Draft invoice')

function cacheInvoice(client: QueryClient, orgId: string, invoice: InvoiceView): void {
  client.setQueryData(invoiceQueries.detail(orgId, invoice.id).queryKey, invoice)
}

/** Downloads the invoices, those of the filters where there are any. */
export function useExportInvoices(format: ExportFormat, filters: InvoiceFilters) {
  return useMutation({
    mutationFn: async () => {
      const query = { format, ...toInvoiceQuery(filters) }
      const { data, response } = await unwrapWithResponse(
        api.GET('/api/invoices/export', { params: { query }, parseAs: 'blob' }),
      )
      saveFile(data, getAttachmentName(response, `invoices.${format}`))
    },
    meta: { success: { title: texts.export.title, description: texts.export[format] }, failure: texts.export.failure },
  })
}

/** Makes a draft; pressed twice, it is one. */
export function useCreateInvoice(forWhat: string) {
  const { orgId } = useCurrentUser()
  const client = useQueryClient()
  const draft = `invoice:${forWhat}`
  return useMutation({
    mutationFn: async (body: NewInvoice) => {
      const made = await unwrap(
        api.POST('/api/invoices', { params: { header: { 'Idempotency-Key': getSubmissionKey(draft, body) } }, body }),
      )
      clearSubmissionKey(draft)
      return made
    },
    onSuccess: (made) => cacheInvoice(client, orgId, made),
    // The draft's page is opened next.
    meta: { failure: texts.makeFailed, invalidates: around(orgId) },
  })
}

/** Changes a draft. */
export function useChangeDraft(id: string) {
  const { orgId } = useCurrentUser()
  const client = useQueryClient()
  return useMutation({
    mutationFn: (body: InvoicePatch) => unwrap(api.PATCH('/api/invoices/{id}', { params: { path: { id } }, body })),
    onSuccess: (saved) => cacheInvoice(client, orgId, saved),
    meta: { success: texts.saved, failure: texts.saveFailed, invalidates: around(orgId) },
  })
}

/** Throws a draft away. Its page is left first, for it would find nothing. */
export function useRemoveDraft(id: string, leave: () => void) {
  const { orgId } = useCurrentUser()
  const client = useQueryClient()
  return useMutation({
    mutationFn: () => unwrap(api.DELETE('/api/invoices/{id}', { params: { path: { id } } })),
    onSuccess: () => {
      leave()
      client.removeQueries({ queryKey: invoiceQueries.detail(orgId, id).queryKey })
    },
    meta: { success: texts.removed, failure: texts.removeFailed, invalidates: around(orgId) },
  })
}

/** What went out and what did not, as the toast says it. */
function showDeliveryToast(delivery: Schema['PaperSending'], wanted: DeliveryChannels): void {
  const { sent: channels, unsent: unsentText, isHeld } = describeSending(delivery)
  if (channels !== '')
    toast.success(texts.sent, [t('By {channels}.', { channels }), unsentText].filter(Boolean).join(' '))
  else if (isHeld) toast.success(texts.waits, unsentText)
  else if (wanted.email || wanted.text) toast.error(texts.notSent.title, unsentText || texts.notSent.description)
  else toast.success(texts.issued, t('It has its number. Hand the PDF over yourself.'))
}

/** Sends an invoice: a draft gets its number first. Without a toast where its text is then sent by hand. */
export function useSendInvoice(id: string, isByOwnPhone = false) {
  const { orgId } = useCurrentUser()
  const draft = `send-invoice:${id}`
  return useMutation({
    mutationFn: async (body: DeliveryChannels) => {
      const params = { path: { id }, header: { 'Idempotency-Key': getSubmissionKey(draft, body) } }
      const delivery = await unwrap(api.POST('/api/invoices/{id}/send', { params, body }))
      clearSubmissionKey(draft)
      return delivery
    },
    onSuccess: (delivery, wanted) => {
      if (!isByOwnPhone) showDeliveryToast(delivery, wanted)
    },
    meta: { failure: texts.notSent, invalidates: around(orgId) },
  })
}

/** Downloads the paper. */
export function useInvoicePdf({ id, number }: { id: string; number?: string | null }) {
  return useMutation({
    mutationFn: async () => {
      const { data, response } = await unwrapWithResponse(
        api.GET('/api/invoices/{id}/pdf', { params: { path: { id } }, parseAs: 'blob' }),
      )
      saveFile(data, getAttachmentName(response, `Invoice ${number ?? 'draft'}.pdf`))
    },
    meta: { failure: texts.openFailed },
  })
}

type Command<Body> = {
  path: '/api/invoices/{id}/void' | '/api/invoices/{id}/promise' | '/api/invoices/{id}/dispute'
  id: string
  success: (body: Body) => { title: string; description: string }
  failure: { title: string; description: string }
}

/** What is noted on an invoice answers with the invoice. */
function useInvoiceCommand<Body extends object>({ path, id, success, failure }: Command<Body>) {
  const { orgId } = useCurrentUser()
  const client = useQueryClient()
  return useMutation({
    mutationFn: (body: Body) => unwrap(api.POST(path, { params: { path: { id } }, body })),
    onSuccess: (noted, body) => {
      cacheInvoice(client, orgId, noted)
      const { title, description } = success(body)
      toast.success(title, description)
    },
    meta: { failure, invalidates: around(orgId) },
  })
}

/** Takes an invoice back: it keeps its number. */
export const useVoidInvoice = (id: string) =>
  useInvoiceCommand<{ reason: string }>({
    path: '/api/invoices/{id}/void',
    id,
    success: () => texts.voided,
    failure: texts.voidFailed,
  })

/** Notes the day by which the customer will have paid. */
export const useSetPaymentPromise = (id: string) =>
  useInvoiceCommand<{ on: string | null }>({
    path: '/api/invoices/{id}/promise',
    id,
    success: ({ on }) => (on === null ? texts.unpromised : texts.promised),
    failure: texts.promiseFailed,
  })

/** Notes that the customer does not agree, or that this is settled. */
export const useSetDispute = (id: string) =>
  useInvoiceCommand<{ isDisputed: boolean; reason?: string }>({
    path: '/api/invoices/{id}/dispute',
    id,
    success: ({ isDisputed }) => (isDisputed ? texts.disputed : texts.resolved),
    failure: texts.disputeFailed,
  })

/** Starts reminders for invoices without them. */
export function useEnableReminders() {
  const { orgId } = useCurrentUser()
  return useMutation({
    mutationFn: (invoiceIds: string[]) => unwrap(api.POST('/api/invoices/reminders', { body: { invoiceIds } })),
    onSuccess: ({ planned }) => {
      toast.success(t('Reminders turned on'), plural(planned, 'For one invoice.', 'For {count} invoices.'))
    },
    meta: { failure: texts.planFailed, invalidates: around(orgId) },
  })
}

/** Gives it another address: the one that is out opens nothing any more. */
export function useRenewInvoiceLink(id: string) {
  const { orgId } = useCurrentUser()
  return useMutation({
    mutationFn: () => unwrap(api.POST('/api/invoices/{id}/link', { params: { path: { id } }, body: { revoke: true } })),
    meta: { success: texts.linkRenewed, failure: texts.linkFailed, invalidates: around(orgId) },
  })
}

/** What is open of the invoice, else of the work. */
function describeBalance(amount: number, balance: number, owed: number): string {
  if (balance > 0)
    return t('{amount} recorded, {balance} of it still open.', {
      amount: formatCents(amount),
      balance: formatCents(balance),
    })
  return owed > 0
    ? t('This invoice is paid. {amount} of the work is still open.', { amount: formatCents(owed) })
    : t('Everything is paid.')
}

/** Records a payment of an invoice; the toast offers undo. */
export function useRecordInvoicePayment({ id, leadId }: Pick<InvoiceView, 'id' | 'leadId'>) {
  const { orgId } = useCurrentUser()
  const { mutate: undo } = useUndoPayment()
  const draft = `invoice-payment:${id}`
  return useMutation({
    mutationFn: async (paid: Omit<Schema['PaidRequest'], 'invoiceId' | 'partial'>) => {
      // A partial payment: the rest stays owed; without a rest the lead becomes paid.
      const body = { ...paid, invoiceId: id, partial: true }
      const params = { path: { id: leadId }, header: { 'Idempotency-Key': getSubmissionKey(draft, body) } }
      const booked = await unwrap(api.POST('/api/leads/{id}/paid', { params, body }))
      clearSubmissionKey(draft)
      return booked
    },
    onSuccess: ({ payment, owed, invoices }, { amount }) => {
      toast.show(texts.recorded, {
        description: describeBalance(amount, invoices.find((one) => one.id === id)?.balance ?? 0, owed),
        action: { label: t('Undo'), onAction: () => undo(payment.id) },
      })
    },
    meta: { failure: texts.recordFailed, invalidates: around(orgId) },
  })
}
