import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router-dom'
import { t } from '@/lib/i18n'
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
    <Card title={t('Invoice')} icon="info">
      <div className="grid gap-4">
        <DescriptionList>
          <DescriptionItem label={t('Customer')}>
            <Link to={paths.lead(leadId)} className="text-link inline-block min-h-6">
              {customer}
            </Link>
          </DescriptionItem>
          {phone && (
            <DescriptionItem label={t('Phone')}>
              <a href={telHref(phone)} className="text-link inline-block min-h-6 tabular-nums">
                {formatPhone(phone)}
              </a>
            </DescriptionItem>
          )}
          {jobId && (
            <DescriptionItem label={t('Job')}>
              <Link to={paths.job(jobId)} className="text-link inline-block min-h-6">
                {t('Open the job')}
              </Link>
            </DescriptionItem>
          )}
          <DescriptionItem label={t('Bills')}>
            {content.isFinal ? (isOnly ? t('All of the work') : t('The last of the work')) : t('A part of the work')}
          </DescriptionItem>
          <DescriptionItem label={t('Issued')}>
            {issuedOn ? formatCalendarDay(issuedOn) : t('When it is sent')}
          </DescriptionItem>
          <DescriptionItem label={t('Due')}>
            {dueOn ? formatCalendarDay(dueOn) : t('As your settings say')}
            {status === 'overdue' && <span className="block text-note text-error">{formatOverdue(daysOverdue)}</span>}
          </DescriptionItem>
          {issuedOn && (
            <DescriptionItem label={t('Sent')}>
              {unsent ?? (sentAt ? formatDateTime(sentAt, timeZone) : t('Not sent to the customer'))}
            </DescriptionItem>
          )}
          {issuedOn && (
            <DescriptionItem label={t('Opened')}>
              {viewedAt ? formatDateTime(viewedAt, timeZone) : t('Not yet')}
            </DescriptionItem>
          )}
        </DescriptionList>
        {link && (
          <CopyButton
            value={link}
            label={t('Copy link to {number}', { number: formatInvoiceName(invoice) })}
            copied={texts.copied}
            failed={texts.copyFailed}
          >
            {t('Copy link')}
          </CopyButton>
        )}
      </div>
    </Card>
  )
}
