// How a customer is reached, and since when they are known.
import { contactTexts } from '@/contact-points/messages'
import type { ContactPointProof } from '@/contact-points/types'
import { ANY_LANGUAGE, LANGUAGES } from '@/domain/customer'
import { formatDate } from '@/lib/format/date'
import { telHref } from '@/lib/format/phone'
import { Breakable } from '@/ui/breakable'
import { Card } from '@/ui/card'
import { Fact, Facts } from '@/ui/facts'
import type { Customer } from '../types'

const NOT_PROVIDED = 'Not provided'

export function AboutCard({ customer, timeZone }: { customer: Customer; timeZone: string }) {
  const { phone, phoneShown, otherPhones, phoneProof, email, otherEmails, emailProof, setAside, language, createdAt } = customer
  return (
    <Card title="Contact" icon="user">
      <Facts>
        <Fact label="Phone">
          <Point href={phone && telHref(phone)} isAside={setAside.includes('phone')} proof={phoneProof}>{phoneShown ?? phone}</Point>
          {otherPhones.map((other) => <span key={other} className="block text-note text-muted tabular-nums">Also {other}</span>)}
        </Fact>
        <Fact label="Email">
          <Point href={email && `mailto:${email}`} isAside={setAside.includes('email')} proof={emailProof}>{email}</Point>
          {otherEmails.map((other) => <span key={other} className="block text-note text-muted">Also <Breakable>{other}</Breakable></span>)}
        </Fact>
        <Fact label="Language">{language ? LANGUAGES[language] : ANY_LANGUAGE}</Fact>
        <Fact label="Known since">{formatDate(createdAt, timeZone)}</Fact>
      </Facts>
    </Card>
  )
}

type PointProps = { href: string | null | undefined; isAside: boolean; proof: ContactPointProof | null | undefined; children: string | null | undefined }

/** What is set aside is no link: nothing is to go there. */
function Point({ href, isAside, proof, children }: PointProps) {
  if (!href || !children) return NOT_PROVIDED
  if (isAside) return <><span className="text-muted"><Breakable>{children}</Breakable></span><span className="block text-note text-muted">{contactTexts.aside}</span></>
  return (
    <>
      {href.startsWith('tel:')
        ? <a href={href} className="text-link inline-block min-h-6 whitespace-nowrap tabular-nums">{children}</a>
        : <a href={href} className="text-link inline-block min-h-6"><Breakable>{children}</Breakable></a>}
      {proof && <span className="block text-note text-muted">{contactTexts.proofs[proof]}</span>}
    </>
  )
}
