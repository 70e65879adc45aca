import { ContactPoint, ContactPointStatus } from '@/features/contact-points/contact-point'
import { ANY_LANGUAGE, LANGUAGES } from '@/domain/customer'
import { formatDate } from '@/lib/format/date'
import { telHref } from '@/lib/format/phone'
import { BreakableAddress } from '@/ui/breakable-address'
import { Card } from '@/ui/card'
import { DescriptionItem, DescriptionList } from '@/ui/description-list'
import type { Customer } from '../types'

const NOT_PROVIDED = 'Not provided'

export function ContactDetailsCard({ customer, timeZone }: { customer: Customer; timeZone: string }) {
  const {
    phone,
    phoneShown,
    otherPhones,
    phoneProof,
    phoneAlsoFor,
    email,
    otherEmails,
    otherSetAside,
    emailProof,
    emailAlsoFor,
    setAside,
    language,
    createdAt,
  } = customer
  return (
    <Card title="Contact" icon="user">
      <DescriptionList>
        <DescriptionItem label="Phone">
          {phone ? (
            <ContactPoint
              href={telHref(phone)}
              isAside={setAside.includes('phone')}
              proof={phoneProof}
              alsoFor={phoneAlsoFor}
            >
              {phoneShown ?? phone}
            </ContactPoint>
          ) : (
            NOT_PROVIDED
          )}
          {otherPhones.map((other) => (
            <div key={other}>
              <span className="block text-note text-muted tabular-nums">Also {other}</span>
              <ContactPointStatus isAside={otherSetAside.includes(other)} proof={undefined} alsoFor={undefined} />
            </div>
          ))}
        </DescriptionItem>
        <DescriptionItem label="Email">
          {email ? (
            <ContactPoint
              href={`mailto:${email}`}
              isAside={setAside.includes('email')}
              proof={emailProof}
              alsoFor={emailAlsoFor}
            >
              {email}
            </ContactPoint>
          ) : (
            NOT_PROVIDED
          )}
          {otherEmails.map((other) => (
            <div key={other}>
              <span className="block text-note text-muted">
                Also <BreakableAddress>{other}</BreakableAddress>
              </span>
              <ContactPointStatus isAside={otherSetAside.includes(other)} proof={undefined} alsoFor={undefined} />
            </div>
          ))}
        </DescriptionItem>
        <DescriptionItem label="Language">{language ? LANGUAGES[language] : ANY_LANGUAGE}</DescriptionItem>
        <DescriptionItem label="Known since">{formatDate(createdAt, timeZone)}</DescriptionItem>
      </DescriptionList>
    </Card>
  )
}
