// A phone or an email of a customer, with what proves it or that nothing goes there.
import { Breakable } from '@/ui/breakable'
import { contactTexts } from './messages'
import type { ContactPointProof } from './types'

type StandingProps = {
  isAside: boolean
  proof: ContactPointProof | null | undefined
  alsoFor: string | null | undefined
}

/** What proves an address, that it is set aside, or that another customer is known by it; nothing where none is known. */
export function PointStanding({ isAside, proof, alsoFor }: StandingProps) {
  const known = proof ? contactTexts.proofs[proof] : alsoFor && contactTexts.alsoFor(alsoFor)
  const words = isAside ? contactTexts.aside : known
  return words ? <span className="block text-note text-muted">{words}</span> : null
}

type PointProps = StandingProps & { href: string; children: string }

/** What is set aside is no link: nothing is to go there. */
export function Point({ href, isAside, proof, alsoFor, children }: PointProps) {
  return (
    <>
      {isAside ? (
        <span className="text-muted">
          <Breakable>{children}</Breakable>
        </span>
      ) : href.startsWith('tel:') ? (
        <a href={href} className="text-link inline-block min-h-6 whitespace-nowrap tabular-nums">
          {children}
        </a>
      ) : (
        <a href={href} className="text-link inline-block min-h-6">
          <Breakable>{children}</Breakable>
        </a>
      )}
      <PointStanding isAside={isAside} proof={proof} alsoFor={alsoFor} />
    </>
  )
}
