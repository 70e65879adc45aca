import { ContactPoint, ContactPointStatus } from '@/features/contact-points/contact-point'
import { ANY_LANGUAGE, LANGUAGES } from '@/domain/customer'
import { formatDate } from '@/lib/format/date'
import { telHref } from '@/lib/format/phone'
import { t } from '@/lib/i18n'
import { BreakableAddress } from '@/ui/breakable-address'
import { Card } from '@/ui/card'
import { DescriptionItem, DescriptionList } from '@/ui/description-list'
import type { Customer } from '../types'

const NOT_PROVIDED = t('Not provided')

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
    <Card title={t('Contact')} icon="user">
      <DescriptionList>
        <DescriptionItem label={t('Phone')}>
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
              <span className="block text-note text-muted tabular-nums">{t('Also {phone}', { phone: other })}</span>
              <ContactPointStatus isAside={otherSetAside.includes(other)} proof={undefined} alsoFor={undefined} />
            </div>
          ))}
        </DescriptionItem>
        <DescriptionItem label={t('Email')}>
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
                {t('Also')} <BreakableAddress>{other}</BreakableAddress>
              </span>
              <ContactPointStatus isAside={otherSetAside.includes(other)} proof={undefined} alsoFor={undefined} />
            </div>
          ))}
        </DescriptionItem>
        <DescriptionItem label={t('Language')}>{language ? LANGUAGES[language] : ANY_LANGUAGE}</DescriptionItem>
        <DescriptionItem label={t('Known since')}>{formatDate(createdAt, timeZone)}</DescriptionItem>
      </DescriptionList>
    </Card>
  )
}
