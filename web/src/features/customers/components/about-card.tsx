// How a customer is reached, and since when they are known.
import { Point } from '@/features/contact-points/point'
import { ANY_LANGUAGE, LANGUAGES } from '@/domain/customer'
import { formatDate } from '@/lib/format/date'
import { telHref } from '@/lib/format/phone'
import { Breakable } from '@/ui/breakable'
import { Card } from '@/ui/card'
import { Fact, Facts } from '@/ui/facts'
import type { Customer } from '../types'

const NOT_PROVIDED = 'Not provided'

export function AboutCard({ customer, timeZone }: { customer: Customer; timeZone: string }) {
  const {
    phone,
    phoneShown,
    otherPhones,
    phoneProof,
    phoneAlsoFor,
    email,
    otherEmails,
    emailProof,
    emailAlsoFor,
    setAside,
    language,
    createdAt,
  } = customer
  return (
    <Card title="Contact" icon="user">
      <Facts>
        <Fact label="Phone">
          {phone ? (
            <Point href={telHref(phone)} isAside={setAside.includes('phone')} proof={phoneProof} alsoFor={phoneAlsoFor}>
              {phoneShown ?? phone}
            </Point>
          ) : (
            NOT_PROVIDED
          )}
          {otherPhones.map((other) => (
            <span key={other} className="block text-note text-muted tabular-nums">
              Also {other}
            </span>
          ))}
        </Fact>
        <Fact label="Email">
          {email ? (
            <Point
              href={`mailto:${email}`}
              isAside={setAside.includes('email')}
              proof={emailProof}
              alsoFor={emailAlsoFor}
            >
              {email}
            </Point>
          ) : (
            NOT_PROVIDED
          )}
          {otherEmails.map((other) => (
            <span key={other} className="block text-note text-muted">
              Also <Breakable>{other}</Breakable>
            </span>
          ))}
        </Fact>
        <Fact label="Language">{language ? LANGUAGES[language] : ANY_LANGUAGE}</Fact>
        <Fact label="Known since">{formatDate(createdAt, timeZone)}</Fact>
      </Facts>
    </Card>
  )
}
