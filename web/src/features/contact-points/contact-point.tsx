// Phone or email of a customer, with its verification state.
import { BreakableAddress } from '@/ui/breakable-address'
import { contactMessages } from './messages'
import type { ContactPointProof } from './types'

type StandingProps = {
  isAside: boolean
  proof: ContactPointProof | null | undefined
  alsoFor: string | null | undefined
}

/** What proves an address, that it is set aside, or that another customer is known by it; else nothing. */
export function ContactPointStatus({ isAside, proof, alsoFor }: StandingProps) {
  const known = proof ? contactMessages.proofs[proof] : alsoFor && contactMessages.alsoFor(alsoFor)
  const aside = alsoFor && !proof ? contactMessages.asideElsewhere(alsoFor) : contactMessages.aside
  const hint = isAside ? aside : known
  // The spaces part the lines for screen readers and in copied text.
  return hint ? (
    <>
      {' '}
      <span className="mb-1 block text-note text-muted">{hint}</span>{' '}
    </>
  ) : null
}

type ContactPointProps = StandingProps & { href: string; children: string }

/** What is set aside is no link: nothing is to go there. */
export function ContactPoint({ href, isAside, proof, alsoFor, children }: ContactPointProps) {
  return (
    <>
      {isAside ? (
        <span className="text-muted">
          <BreakableAddress>{children}</BreakableAddress>
        </span>
      ) : href.startsWith('tel:') ? (
        <a href={href} className="text-link inline-block min-h-6 whitespace-nowrap tabular-nums">
          {children}
        </a>
      ) : (
        <a href={href} className="text-link inline-block min-h-6">
          <BreakableAddress>{children}</BreakableAddress>
        </a>
      )}
      <ContactPointStatus isAside={isAside} proof={proof} alsoFor={alsoFor} />
    </>
  )
}
