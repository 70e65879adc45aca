import { DEFAULT_LEAD_SOURCE, LEAD_FORMS } from '@/domain/lead'
import { formatDateTime } from '@/lib/format/date'
import { formatMoney } from '@/lib/format/money'
import { pgettext, t } from '@/lib/i18n'
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
    { label: t('Campaign'), value: campaign },
    { label: t('Google click'), value: gclid },
    { label: t('Came from'), value: referrer },
    { label: t('Landing page'), value: landingPage },
  ].flatMap(({ label, value }) => (value ? [{ label, value }] : []))
}

export function LeadSourceCard({ lead, timeZone }: { lead: LeadDetail; timeZone: string }) {
  return (
    <Card title={t('Lead Information')} icon="info">
      <DescriptionList>
        <DescriptionItem label={t('Created')}>{formatDateTime(lead.createdAt, timeZone)}</DescriptionItem>
        <DescriptionItem label={t('Source')}>{lead.source || DEFAULT_LEAD_SOURCE}</DescriptionItem>
        <DescriptionItem label={t('Came in by')}>
          {lead.form === 'booking' && lead.scheduledAt ? t('Booked online') : LEAD_FORMS[lead.form]}
        </DescriptionItem>
        <DescriptionItem label={pgettext('of a lead', 'Owner')}>
          <LeadOwnerSelect lead={lead} />
        </DescriptionItem>
        {lead.paidAt && (
          <DescriptionItem label={t('Paid date')}>{formatDateTime(lead.paidAt, timeZone)}</DescriptionItem>
        )}
        {typeof lead.collectedAmount === 'number' && (
          <DescriptionItem label={t('Collected amount')}>{formatMoney(lead.collectedAmount)}</DescriptionItem>
        )}
        {lead.texts && <DescriptionItem label={t('Cost of texts')}>{lead.texts.shown}</DescriptionItem>}
        {getAttributionRows(lead.attribution).map(({ label, value }) => (
          <DescriptionItem key={label} label={label}>
            <BreakableAddress>{value}</BreakableAddress>
          </DescriptionItem>
        ))}
      </DescriptionList>
    </Card>
  )
}
