// How a customer is reached, and since when they are known.
import { contactTexts } from '@/contact-points/messages'
import { ANY_LANGUAGE, LANGUAGES } from '@/domain/customer'
import { formatDate } from '@/lib/format/date'
import { telHref } from '@/lib/format/phone'
import { Breakable } from '@/ui/breakable'
import { Card } from '@/ui/card'
import { Fact, Facts } from '@/ui/facts'
import type { Customer } from '../types'

const NOT_PROVIDED = 'Not provided'

export function AboutCard({ customer, timeZone }: { customer: Customer; timeZone: string }) {
  const { phone, phoneShown, otherPhones, phoneProof, email, otherEmails, emailProof, language, createdAt } = customer
  return (
    <Card title="Contact" icon="user">
      <Facts>
        <Fact label="Phone">
          {phone ? <a href={telHref(phone)} className="text-link inline-block min-h-6 whitespace-nowrap tabular-nums">{phoneShown ?? phone}</a> : NOT_PROVIDED}
          {phoneProof && <span className="block text-note text-muted">{contactTexts.proofs[phoneProof]}</span>}
          {otherPhones.map((other) => <span key={other} className="block text-note text-muted tabular-nums">Also {other}</span>)}
        </Fact>
        <Fact label="Email">
          {email ? <a href={`mailto:${email}`} className="text-link inline-block min-h-6"><Breakable>{email}</Breakable></a> : NOT_PROVIDED}
          {emailProof && <span className="block text-note text-muted">{contactTexts.proofs[emailProof]}</span>}
          {otherEmails.map((other) => <span key={other} className="block text-note text-muted">Also <Breakable>{other}</Breakable></span>)}
        </Fact>
        <Fact label="Language">{language ? LANGUAGES[language] : ANY_LANGUAGE}</Fact>
        <Fact label="Known since">{formatDate(createdAt, timeZone)}</Fact>
      </Facts>
    </Card>
  )
}
