import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router-dom'
import { paths } from '@/lib/paths'
import { formatCalendarDay } from '@/lib/format/calendar-day'
import { formatDateTime } from '@/lib/format/date'
import { formatPhone, telHref } from '@/lib/format/phone'
import { useCurrentUser } from '@/features/session/use-session'
import { Card } from '@/ui/card'
import { CopyButton } from '@/ui/copy-field'
import { DescriptionItem, DescriptionList } from '@/ui/description-list'
import { formatOverdue } from '../lib/due-date-text'
import { invoicesMessages as texts } from '../messages'
import { formatInvoiceName } from '../mutations'
import { invoiceQueries } from '../queries'
import type { InvoiceView } from '../types'

/** Invoiced to the customer: no drafts and no voided ones. */
const BILLED_STATUSES: ReadonlySet<string> = new Set(['preparing', 'open', 'overdue', 'paid'])

export function InvoiceDetailsCard({ invoice, timeZone }: { invoice: InvoiceView; timeZone: string }) {
  const { customer, leadId, jobId, issuedOn, dueOn, daysOverdue, status, sentAt, unsent, viewedAt, link, content } =
    invoice
  const { orgId } = useCurrentUser()
  const { data: lead } = useQuery(invoiceQueries.lead(orgId, leadId))
  const { data: money } = useQuery(invoiceQueries.money(orgId, leadId))
  const phone = lead?.phoneE164 ?? lead?.phone
  const isOnly =
    money?.invoices.every((other) => other.id === invoice.id || !BILLED_STATUSES.has(other.status)) ?? false
  return (
    <Card title="Invoice" icon="info">
      <div className="grid gap-4">
        <DescriptionList>
          <DescriptionItem label="Customer">
            <Link to={paths.lead(leadId)} className="text-link inline-block min-h-6">
              {customer}
            </Link>
          </DescriptionItem>
          {phone && (
            <DescriptionItem label="Phone">
              <a href={telHref(phone)} className="text-link inline-block min-h-6 tabular-nums">
                {formatPhone(phone)}
              </a>
            </DescriptionItem>
          )}
          {jobId && (
            <DescriptionItem label="Job">
              <Link to={paths.job(jobId)} className="text-link inline-block min-h-6">
                Open the job
              </Link>
            </DescriptionItem>
          )}
          <DescriptionItem label="Bills">
            {content.isFinal ? (isOnly ? 'All of the work' : 'The last of the work') : 'A part of the work'}
          </DescriptionItem>
          <DescriptionItem label="Issued">{issuedOn ? formatCalendarDay(issuedOn) : 'When it is sent'}</DescriptionItem>
          <DescriptionItem label="Due">
            {dueOn ? formatCalendarDay(dueOn) : 'As your settings say'}
            {status === 'overdue' && <span className="block text-note text-error">{formatOverdue(daysOverdue)}</span>}
          </DescriptionItem>
          {issuedOn && (
            <DescriptionItem label="Sent">
              {unsent ?? (sentAt ? formatDateTime(sentAt, timeZone) : 'Not sent to the customer')}
            </DescriptionItem>
          )}
          {issuedOn && (
            <DescriptionItem label="Opened">
              {viewedAt ? formatDateTime(viewedAt, timeZone) : 'Not yet'}
            </DescriptionItem>
          )}
        </DescriptionList>
        {link && (
          <CopyButton
            value={link}
            label={`Copy link to ${formatInvoiceName(invoice)}`}
            copied={texts.copied}
            failed={texts.copyFailed}
          >
            Copy link
          </CopyButton>
        )}
      </div>
    </Card>
  )
}
