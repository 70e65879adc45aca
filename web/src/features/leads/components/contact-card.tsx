import { ContactPoint } from '@/features/contact-points/contact-point'
import { contactMessages } from '@/features/contact-points/messages'
import { DEFAULT_LEAD_SOURCE, serviceLabel } from '@/domain/lead'
import { formatPhone, telHref } from '@/lib/format/phone'
import { t } from '@/lib/i18n'
import { BreakableAddress } from '@/ui/breakable-address'
import { Card } from '@/ui/card'
import { DescriptionItem, DescriptionList } from '@/ui/description-list'
import type { LeadDetail } from '../queries'

const NOT_PROVIDED = t('Not provided')

type ContactKind = LeadDetail['alsoGave'][number]['kind']

export function LeadContactCard({ lead }: { lead: LeadDetail }) {
  return (
    <Card title={t('Contact Information')} icon="user">
      <DescriptionList>
        <DescriptionItem label={t('Name')}>{lead.name}</DescriptionItem>
        <DescriptionItem label={t('Phone')}>
          {lead.phone ? (
            <a
              href={telHref(lead.phoneE164 ?? lead.phone)}
              className="text-link inline-flex min-h-6 whitespace-nowrap tabular-nums"
            >
              {formatPhone(lead.phone)}
            </a>
          ) : (
            <UnusedContacts lead={lead} kind="phone" />
          )}
        </DescriptionItem>
        {lead.otherPhones.map((phone) => (
          <DescriptionItem key={phone} label={t('Other phone')}>
            <ContactPoint
              href={telHref(phone)}
              isAside={lead.otherSetAside.includes(phone)}
              proof={undefined}
              alsoFor={undefined}
            >
              {phone}
            </ContactPoint>
          </DescriptionItem>
        ))}
        <DescriptionItem label={t('Email')}>
          {lead.email ? (
            <a href={`mailto:${lead.email}`} className="text-link inline-block min-h-6">
              <BreakableAddress>{lead.email}</BreakableAddress>
            </a>
          ) : (
            <UnusedContacts lead={lead} kind="email" />
          )}
        </DescriptionItem>
        <DescriptionItem label={t('Service type')}>{serviceLabel(lead.service)}</DescriptionItem>
        <DescriptionItem label={t('Zip code')}>{lead.zip || NOT_PROVIDED}</DescriptionItem>
        {lead.address && <DescriptionItem label={t('Address')}>{lead.address}</DescriptionItem>}
        <DescriptionItem label={t('Lead source')}>{lead.source || DEFAULT_LEAD_SOURCE}</DescriptionItem>
      </DescriptionList>
    </Card>
  )
}

/** Without an address in use: what forms named, as the customer's page shows it. Other phones have rows of their own. */
function UnusedContacts({ lead: { alsoGave, otherPhones }, kind }: { lead: LeadDetail; kind: ContactKind }) {
  const named = alsoGave.filter((one) => one.kind === kind && !one.isInUse && !otherPhones.includes(one.shown))
  if (named.length === 0) return contactMessages.noneInUse
  return named.map(({ id, shown, belongsTo }) => (
    <div key={id}>
      <ContactPoint href="" isAside proof={undefined} alsoFor={belongsTo}>
        {shown}
      </ContactPoint>
    </div>
  ))
}
