// A phone or an email of a customer, with what proves it or that nothing goes there.
import { Breakable } from '@/ui/breakable'
import { contactTexts } from './messages'
import type { ContactPointProof } from './types'

type StandingProps = { isAside: boolean; proof: ContactPointProof | null | undefined }

/** What proves an address, or that it is set aside; nothing where neither is known. */
export function PointStanding({ isAside, proof }: StandingProps) {
  const words = isAside ? contactTexts.aside : proof && contactTexts.proofs[proof]
  return words ? <span className="block text-note text-muted">{words}</span> : null
}

type PointProps = StandingProps & { href: string; children: string }

/** What is set aside is no link: nothing is to go there. */
export function Point({ href, isAside, proof, children }: PointProps) {
  return (
    <>
      {isAside
        ? <span className="text-muted"><Breakable>{children}</Breakable></span>
        : href.startsWith('tel:')
          ? <a href={href} className="text-link inline-block min-h-6 whitespace-nowrap tabular-nums">{children}</a>
          : <a href={href} className="text-link inline-block min-h-6"><Breakable>{children}</Breakable></a>}
      <PointStanding isAside={isAside} proof={proof} />
    </>
  )
}
