import { useQuery } from '@tanstack/react-query'
import type { Schema } from '@/api/client'
import { useNavigate } from 'react-router-dom'
import { formatCents } from '@/lib/format/money'
import { t } from '@/lib/i18n'
import { paths } from '@/lib/paths'
import { canReceiveTexts, ChannelFields, isOwnPhoneOnly, wantsText } from '@/features/documents/channel-fields'
import { useCurrentUser } from '@/features/session/use-session'
import { Button } from '@/ui/button'
import { Dialog } from '@/ui/dialog'
import { Form, ignoreFailure } from '@/ui/form'
import { QueryBoundary } from '@/ui/query-boundary'
import { SkeletonLines } from '@/ui/skeleton'
import { invoicesMessages } from '../messages'
import { formatInvoiceName, useSendInvoice } from '../mutations'
import { invoiceQueries } from '../queries'
import { sendInvoiceSchema, type SendInvoiceValues } from '../schema'
import type { InvoiceView } from '../types'

type SendInvoiceDialogProps = { invoice: InvoiceView; onClose: () => void }

export function SendInvoiceDialog({ invoice, onClose }: SendInvoiceDialogProps) {
  const { orgId, orgTimezone } = useCurrentUser()
  const lead = useQuery(invoiceQueries.lead(orgId, invoice.leadId))
  return (
    <Dialog
      open
      onClose={onClose}
      title={
        invoice.status === 'draft'
          ? t('Send this invoice')
          : t('Send {invoice} again', { invoice: formatInvoiceName(invoice) })
      }
    >
      <QueryBoundary
        query={lead}
        skeleton={<SkeletonLines lines={3} />}
        errorText={invoicesMessages.invoiceFailed}
        timeZone={orgTimezone}
      >
        {(found) => <SendForm invoice={invoice} lead={found} onClose={onClose} />}
      </QueryBoundary>
    </Dialog>
  )
}

/** The amount due, less unallocated earlier payments. */
function describeAmountDue(total: number, money: Schema['LeadMoney'] | undefined, name: string): string {
  if (!money) return t('To {name}.', { name })
  const before = Math.min(unallocatedAmount(money), total)
  if (before <= 0) return t('{amount} to {name}.', { amount: formatCents(total), name })
  return t('{amount} is due from {name}: {total} less {settled} settled before.', {
    amount: formatCents(total - before),
    name,
    total: formatCents(total),
    settled: formatCents(before),
  })
}

/** What was collected or written off and pays no invoice yet, in dollars. */
function unallocatedAmount({ collected, writtenOff, invoices }: Schema['LeadMoney']): number {
  const put = invoices.reduce((sum, { status, paid }) => (status === 'void' ? sum : sum + paid), 0)
  return Math.round((collected + writtenOff - put) * 100) / 100
}

function SendForm({ invoice, lead, onClose }: SendInvoiceDialogProps & { lead: Schema['LeadDetail'] }) {
  const { orgId } = useCurrentUser()
  const { data: money } = useQuery(invoiceQueries.money(orgId, invoice.leadId))
  const isDraft = invoice.status === 'draft'
  const hasWay = Boolean(lead.email) || canReceiveTexts(lead)
  const isByOwnPhone = !hasWay && !isDraft && isOwnPhoneOnly(lead)
  const send = useSendInvoice(invoice.id, isByOwnPhone)
  const navigate = useNavigate()
  const submit = async ({ email, text }: SendInvoiceValues) => {
    await send.mutateAsync({ email, text })
    onClose()
    if (isByOwnPhone) void navigate(paths.leadByHand(invoice.leadId))
  }
  return (
    <Form
      label={t('Send')}
      schema={sendInvoiceSchema}
      defaultValues={{ email: Boolean(lead.email), text: wantsText(lead), hasWay }}
      onSubmit={submit}
      onFailure={ignoreFailure}
      className="grid gap-4"
    >
      {(form) => (
        <>
          {isDraft && (
            <p>
              {describeAmountDue(invoice.total, money, lead.name)}{' '}
              {t('It gets its number, and can no longer be changed.')}
            </p>
          )}
          <ChannelFields
            form={form}
            to={lead}
            none={
              isDraft
                ? t('There is no email and no phone to send it to: hand the PDF over yourself.')
                : t('There is no email and no phone to send it to.')
            }
          />
          <div className="flex flex-wrap justify-end gap-2">
            <Button variant="ghost" onClick={onClose}>
              {t('Cancel')}
            </Button>
            {(hasWay || isDraft) && (
              <Button type="submit" icon="send" pending={send.isPending} pendingText={t('Sending...')}>
                {hasWay ? t('Send invoice') : t('Make invoice')}
              </Button>
            )}
            {isByOwnPhone && (
              <Button type="submit" icon="phone" pending={send.isPending} pendingText={t('Preparing...')}>
                {t('Text from my phone')}
              </Button>
            )}
          </div>
        </>
      )}
    </Form>
  )
}
