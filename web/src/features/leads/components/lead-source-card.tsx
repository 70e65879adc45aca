import { DEFAULT_LEAD_SOURCE, LEAD_FORMS } from '@/domain/lead'
import { formatDateTime } from '@/lib/format/date'
import { formatMoney } from '@/lib/format/money'
import { BreakableAddress } from '@/ui/breakable-address'
import { Card } from '@/ui/card'
import { DescriptionItem, DescriptionList } from '@/ui/description-list'
import type { LeadDetail } from '../queries'
import { LeadOwnerSelect } from './lead-owner-select'

/** Source parameters of the visitor's URL, in display order. */
function getAttributionRows({
  utmSource,
  utmMedium,
  utmCampaign,
  utmTerm,
  utmContent,
  gclid,
  referrer,
  landingPage,
}: LeadDetail['attribution']) {
  const campaign = [utmSource, utmMedium, utmCampaign, utmTerm, utmContent].filter(Boolean).join(' / ')
  return [
    { label: 'Campaign', value: campaign },
    { label: 'Google click', value: gclid },
    { label: 'Came from', value: referrer },
    { label: 'Landing page', value: landingPage },
  ].flatMap(({ label, value }) => (value ? [{ label, value }] : []))
}

export function LeadSourceCard({ lead, timeZone }: { lead: LeadDetail; timeZone: string }) {
  return (
    <Card title="Lead Information" icon="info">
      <DescriptionList>
        <DescriptionItem label="Created">{formatDateTime(lead.createdAt, timeZone)}</DescriptionItem>
        <DescriptionItem label="Source">{lead.source || DEFAULT_LEAD_SOURCE}</DescriptionItem>
        <DescriptionItem label="Came in by">
          {lead.form === 'booking' && lead.scheduledAt ? 'Booked online' : LEAD_FORMS[lead.form]}
        </DescriptionItem>
        <DescriptionItem label="Owner">
          <LeadOwnerSelect lead={lead} />
        </DescriptionItem>
        {lead.paidAt && <DescriptionItem label="Paid date">{formatDateTime(lead.paidAt, timeZone)}</DescriptionItem>}
        {typeof lead.collectedAmount === 'number' && (
          <DescriptionItem label="Collected amount">{formatMoney(lead.collectedAmount)}</DescriptionItem>
        )}
        {lead.texts && <DescriptionItem label="Cost of texts">{lead.texts.shown}</DescriptionItem>}
        {getAttributionRows(lead.attribution).map(({ label, value }) => (
          <DescriptionItem key={label} label={label}>
            <BreakableAddress>{value}</BreakableAddress>
          </DescriptionItem>
        ))}
      </DescriptionList>
    </Card>
  )
}
