// Whose invoice it is, and its days.
import { Link } from 'react-router-dom'
import { paths } from '@/app/paths'
import { dayWords } from '@/lib/format/day-words'
import { formatDateTime } from '@/lib/format/date'
import { Card } from '@/ui/card'
import { CopyButton } from '@/ui/copy-field'
import { Fact, Facts } from '@/ui/facts'
import { overdueWords } from '../lib/due-words'
import { invoicesMessages as texts } from '../messages'
import { invoiceName } from '../mutations'
import type { InvoiceView } from '../types'

export function FactsCard({ invoice, timeZone }: { invoice: InvoiceView; timeZone: string }) {
  const { customer, leadId, jobId, issuedOn, dueOn, daysOverdue, status, sentAt, viewedAt, link, content } = invoice
  return (
    <Card title="Invoice" icon="info">
      <div className="grid gap-4">
        <Facts>
          <Fact label="Customer"><Link to={paths.lead(leadId)} className="text-link inline-block min-h-6">{customer}</Link></Fact>
          {jobId && <Fact label="Job"><Link to={paths.job(jobId)} className="text-link inline-block min-h-6">Open the job</Link></Fact>}
          <Fact label="Bills">{content.isFinal ? 'The last of the work' : 'A part of the work'}</Fact>
          <Fact label="Issued">{issuedOn ? dayWords(issuedOn) : 'When it is sent'}</Fact>
          <Fact label="Due">
            {dueOn ? dayWords(dueOn) : 'As your settings say'}
            {status === 'overdue' && <span className="block text-note text-error">{overdueWords(daysOverdue)}</span>}
          </Fact>
          {issuedOn && <Fact label="Sent">{sentAt ? formatDateTime(sentAt, timeZone) : 'Not sent to the customer'}</Fact>}
          {issuedOn && <Fact label="Opened">{viewedAt ? formatDateTime(viewedAt, timeZone) : 'Not yet'}</Fact>}
        </Facts>
        {link && <CopyButton value={link} label={`Copy link to ${invoiceName(invoice)}`} copied={texts.copied} failed={texts.copyFailed}>Copy link</CopyButton>}
      </div>
    </Card>
  )
}
