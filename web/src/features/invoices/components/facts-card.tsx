// Whose invoice it is, and its days.
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router-dom'
import { paths } from '@/lib/paths'
import { dayWords } from '@/lib/format/day-words'
import { formatDateTime } from '@/lib/format/date'
import { formatPhone, telHref } from '@/lib/format/phone'
import { useCurrentUser } from '@/session/use-session'
import { Card } from '@/ui/card'
import { CopyButton } from '@/ui/copy-field'
import { Fact, Facts } from '@/ui/facts'
import { overdueWords } from '../lib/due-words'
import { invoicesMessages as texts } from '../messages'
import { invoiceName } from '../mutations'
import { invoiceQueries } from '../queries'
import type { InvoiceView } from '../types'

/** What was billed to the customer; a draft was not, and what was taken back no more. */
const COUNTS: ReadonlySet<string> = new Set(['preparing', 'open', 'overdue', 'paid'])

export function FactsCard({ invoice, timeZone }: { invoice: InvoiceView; timeZone: string }) {
  const { customer, leadId, jobId, issuedOn, dueOn, daysOverdue, status, sentAt, unsent, viewedAt, link, content } =
    invoice
  const { orgId } = useCurrentUser()
  const { data: lead } = useQuery(invoiceQueries.lead(orgId, leadId))
  const { data: money } = useQuery(invoiceQueries.money(orgId, leadId))
  const phone = lead?.phoneE164 ?? lead?.phone
  const isOnly = money?.invoices.every((other) => other.id === invoice.id || !COUNTS.has(other.status)) ?? false
  return (
    <Card title="Invoice" icon="info">
      <div className="grid gap-4">
        <Facts>
          <Fact label="Customer">
            <Link to={paths.lead(leadId)} className="text-link inline-block min-h-6">
              {customer}
            </Link>
          </Fact>
          {phone && (
            <Fact label="Phone">
              <a href={telHref(phone)} className="text-link inline-block min-h-6 tabular-nums">
                {formatPhone(phone)}
              </a>
            </Fact>
          )}
          {jobId && (
            <Fact label="Job">
              <Link to={paths.job(jobId)} className="text-link inline-block min-h-6">
                Open the job
              </Link>
            </Fact>
          )}
          <Fact label="Bills">
            {content.isFinal ? (isOnly ? 'All of the work' : 'The last of the work') : 'A part of the work'}
          </Fact>
          <Fact label="Issued">{issuedOn ? dayWords(issuedOn) : 'When it is sent'}</Fact>
          <Fact label="Due">
            {dueOn ? dayWords(dueOn) : 'As your settings say'}
            {status === 'overdue' && <span className="block text-note text-error">{overdueWords(daysOverdue)}</span>}
          </Fact>
          {issuedOn && (
            <Fact label="Sent">
              {unsent ?? (sentAt ? formatDateTime(sentAt, timeZone) : 'Not sent to the customer')}
            </Fact>
          )}
          {issuedOn && <Fact label="Opened">{viewedAt ? formatDateTime(viewedAt, timeZone) : 'Not yet'}</Fact>}
        </Facts>
        {link && (
          <CopyButton
            value={link}
            label={`Copy link to ${invoiceName(invoice)}`}
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
