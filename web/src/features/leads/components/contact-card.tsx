import { ContactPoint } from '@/features/contact-points/contact-point'
import { DEFAULT_LEAD_SOURCE, serviceLabel } from '@/domain/lead'
import { formatPhone, telHref } from '@/lib/format/phone'
import { BreakableAddress } from '@/ui/breakable-address'
import { Card } from '@/ui/card'
import { DescriptionItem, DescriptionList } from '@/ui/description-list'
import type { LeadDetail } from '../queries'

const NOT_PROVIDED = 'Not provided'

export function LeadContactCard({ lead }: { lead: LeadDetail }) {
  return (
    <Card title="Contact Information" icon="user">
      <DescriptionList>
        <DescriptionItem label="Name">{lead.name}</DescriptionItem>
        <DescriptionItem label="Phone">
          {lead.phone ? (
            <a
              href={telHref(lead.phoneE164 ?? lead.phone)}
              className="text-link inline-flex min-h-6 whitespace-nowrap tabular-nums"
            >
              {formatPhone(lead.phone)}
            </a>
          ) : (
            NOT_PROVIDED
          )}
        </DescriptionItem>
        {lead.otherPhones.map((phone) => (
          <DescriptionItem key={phone} label="Other phone">
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
        <DescriptionItem label="Email">
          {lead.email ? (
            <a href={`mailto:${lead.email}`} className="text-link inline-block min-h-6">
              <BreakableAddress>{lead.email}</BreakableAddress>
            </a>
          ) : (
            NOT_PROVIDED
          )}
        </DescriptionItem>
        <DescriptionItem label="Service type">{serviceLabel(lead.service)}</DescriptionItem>
        <DescriptionItem label="Zip code">{lead.zip || NOT_PROVIDED}</DescriptionItem>
        {lead.address && <DescriptionItem label="Address">{lead.address}</DescriptionItem>}
        <DescriptionItem label="Lead source">{lead.source || DEFAULT_LEAD_SOURCE}</DescriptionItem>
      </DescriptionList>
    </Card>
  )
}
