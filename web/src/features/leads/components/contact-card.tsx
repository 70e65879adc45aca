// Who asked, and how to reach them in one tap.
import { DEFAULT_LEAD_SOURCE, serviceLabel } from '@/domain/lead'
import { formatPhone, telHref } from '@/lib/format/phone'
import { Breakable } from '@/ui/breakable'
import { Card } from '@/ui/card'
import { Fact, Facts } from '@/ui/facts'
import type { LeadDetail } from '../queries'

const NOT_PROVIDED = 'Not provided'

export function ContactCard({ lead }: { lead: LeadDetail }) {
  return (
    <Card title="Contact Information" icon="user">
      <Facts>
        <Fact label="Name">{lead.name}</Fact>
        <Fact label="Phone">
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
        </Fact>
        {lead.otherPhones.map((phone) => (
          <Fact key={phone} label="Other phone">
            <a href={telHref(phone)} className="text-link inline-flex min-h-6 whitespace-nowrap tabular-nums">
              {phone}
            </a>
          </Fact>
        ))}
        <Fact label="Email">
          {lead.email ? (
            <a href={`mailto:${lead.email}`} className="text-link inline-block min-h-6">
              <Breakable>{lead.email}</Breakable>
            </a>
          ) : (
            NOT_PROVIDED
          )}
        </Fact>
        <Fact label="Service type">{serviceLabel(lead.service)}</Fact>
        <Fact label="Zip code">{lead.zip || NOT_PROVIDED}</Fact>
        {lead.address && <Fact label="Address">{lead.address}</Fact>}
        <Fact label="Lead source">{lead.source || DEFAULT_LEAD_SOURCE}</Fact>
      </Facts>
    </Card>
  )
}
