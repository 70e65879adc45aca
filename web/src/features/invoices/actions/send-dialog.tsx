// Sends an invoice by the ways a person chooses; a draft gets its number and its day first.
import { useQuery } from '@tanstack/react-query'
import type { Schema } from '@/api/client'
import { formatCents } from '@/lib/format/money'
import { takesTexts, WayFields } from '@/features/paper/way-fields'
import { useCurrentUser } from '@/session/use-session'
import { Button } from '@/ui/button'
import { Dialog } from '@/ui/dialog'
import { Form } from '@/ui/form'
import { QueryBoundary } from '@/ui/query-boundary'
import { SkeletonLines } from '@/ui/skeleton'
import { invoicesMessages } from '../messages'
import { invoiceName, useSendInvoice } from '../mutations'
import { invoiceQueries } from '../queries'
import { sendSchema, type SendValues } from '../schema'
import type { InvoiceView } from '../types'

type SendDialogProps = { invoice: InvoiceView; onClose: () => void }

/** The toast of a failure is the command's. */
const said = () => undefined

export function SendDialog({ invoice, onClose }: SendDialogProps) {
  const { orgId, orgTimezone } = useCurrentUser()
  const lead = useQuery(invoiceQueries.lead(orgId, invoice.leadId))
  return (
    <Dialog
      open
      onClose={onClose}
      title={invoice.status === 'draft' ? 'Send this invoice' : `Send ${invoiceName(invoice)} again`}
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

/** What it asks for: what was paid before and pays no other invoice is put to it. */
function askedWords(total: number, money: Schema['LeadMoney'] | undefined, name: string): string {
  if (!money) return `To ${name}.`
  const before = Math.min(idleMoney(money), total)
  if (before <= 0) return `${formatCents(total)} to ${name}.`
  return `${formatCents(total - before)} is due from ${name}: ${formatCents(total)} less ${formatCents(before)} settled before.`
}

/** What was collected or written off and pays no invoice yet, in dollars. */
function idleMoney({ collected, writtenOff, invoices }: Schema['LeadMoney']): number {
  const put = invoices.reduce((sum, { status, paid }) => (status === 'void' ? sum : sum + paid), 0)
  return Math.round((collected + writtenOff - put) * 100) / 100
}

function SendForm({ invoice, lead, onClose }: SendDialogProps & { lead: Schema['LeadDetail'] }) {
  const { orgId } = useCurrentUser()
  const { data: money } = useQuery(invoiceQueries.money(orgId, invoice.leadId))
  const send = useSendInvoice(invoice.id)
  const isDraft = invoice.status === 'draft'
  const hasWay = Boolean(lead.email) || takesTexts(lead)
  const submit = async ({ email, text }: SendValues) => {
    await send.mutateAsync({ email, text })
    onClose()
  }
  return (
    <Form
      label="Send"
      schema={sendSchema}
      defaultValues={{ email: Boolean(lead.email), text: takesTexts(lead), hasWay }}
      onSubmit={submit}
      onFailure={said}
      className="grid gap-4"
    >
      {(form) => (
        <>
          {isDraft && (
            <p>{askedWords(invoice.total, money, lead.name)} It gets its number, and can no longer be changed.</p>
          )}
          <WayFields
            form={form}
            to={lead}
            none={
              isDraft
                ? 'There is no email and no phone to send it to: hand the PDF over yourself.'
                : 'There is no email and no phone to send it to.'
            }
          />
          <div className="flex flex-wrap justify-end gap-2">
            <Button variant="ghost" onClick={onClose}>
              Cancel
            </Button>
            {(hasWay || isDraft) && (
              <Button type="submit" icon="send" pending={send.isPending} pendingText="Sending...">
                {hasWay ? 'Send invoice' : 'Make invoice'}
              </Button>
            )}
          </div>
        </>
      )}
    </Form>
  )
}
