// Where the lead came from, whose it is, what it brought.
import { DEFAULT_LEAD_SOURCE, LEAD_FORMS } from '@/domain/lead'
import { formatDateTime } from '@/lib/format/date'
import { formatMoney } from '@/lib/format/money'
import { Breakable } from '@/ui/breakable'
import { Card } from '@/ui/card'
import { Fact, Facts } from '@/ui/facts'
import type { LeadDetail } from '../queries'
import { OwnerChoice } from './owner-choice'

/** What the visitor's address told of the way here, in the order it is looked at. */
function originOf({
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

export function InformationCard({ lead, timeZone }: { lead: LeadDetail; timeZone: string }) {
  return (
    <Card title="Lead Information" icon="info">
      <Facts>
        <Fact label="Created">{formatDateTime(lead.createdAt, timeZone)}</Fact>
        <Fact label="Source">{lead.source || DEFAULT_LEAD_SOURCE}</Fact>
        <Fact label="Came in by">
          {lead.form === 'booking' && lead.scheduledAt ? 'Booked online' : LEAD_FORMS[lead.form]}
        </Fact>
        <Fact label="Owner">
          <OwnerChoice lead={lead} />
        </Fact>
        {lead.paidAt && <Fact label="Paid date">{formatDateTime(lead.paidAt, timeZone)}</Fact>}
        {typeof lead.collectedAmount === 'number' && (
          <Fact label="Collected amount">{formatMoney(lead.collectedAmount)}</Fact>
        )}
        {lead.texts && <Fact label="Cost of texts">{lead.texts.shown}</Fact>}
        {originOf(lead.attribution).map(({ label, value }) => (
          <Fact key={label} label={label}>
            <Breakable>{value}</Breakable>
          </Fact>
        ))}
      </Facts>
    </Card>
  )
}
