// Proposed contact details: "Also gave: (512) 555-0199. Use it?"
import { Link } from 'react-router-dom'
import { useOnline } from '@/lib/hooks/use-online'
import { paths } from '@/lib/paths'
import { BreakableAddress } from '@/ui/breakable-address'
import { Button } from '@/ui/button'
import { Notice } from '@/ui/notice'
import { contactMessages as texts } from './messages'
import { useDecideProposal } from './mutations'
import type { ContactProposal } from './types'

export function ProposalsNotice({ proposals }: { proposals: readonly ContactProposal[] }) {
  if (proposals.length === 0) return null
  return (
    <Notice
      tone="info"
      title={proposals.length === 1 ? 'Also gave another way to reach them' : 'Also gave other ways to reach them'}
    >
      {proposals.some(({ belongsToId }) => !belongsToId) && <p>{texts.hint}</p>}
      <ul className="mt-2 grid gap-2">
        {proposals.map((proposal) => (
          <ProposalItem key={proposal.id} proposal={proposal} />
        ))}
      </ul>
    </Notice>
  )
}

function ProposalItem({ proposal: { id, shown, answeredAt, belongsTo, belongsToId } }: { proposal: ContactProposal }) {
  const isOnline = useOnline()
  const use = useDecideProposal('use')
  const dismiss = useDecideProposal('dismiss')
  const isBusy = use.isPending || dismiss.isPending
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-3 gap-y-1.5">
      <span className="min-w-0 wrap-anywhere">
        Also gave:{' '}
        <span className="font-semibold">
          <BreakableAddress>{shown}</BreakableAddress>
        </span>
        .{!belongsToId && ' Use it?'}
        {answeredAt && <span className="block text-caption text-muted">{texts.answered}</span>}
        {belongsToId && (
          <span className="block text-caption text-muted">
            It belongs to the record of{' '}
            <Link to={paths.customer(belongsToId)} className="text-link">
              {belongsTo}
            </Link>{' '}
            now. If they are one person, merge the two.
          </span>
        )}
      </span>
      <span className="flex flex-wrap gap-2">
        {!belongsToId && (
          <Button variant="secondary" disabled={!isOnline || isBusy} onClick={() => use.mutate(id)}>
            Use it <span className="sr-only">{shown}</span>
          </Button>
        )}
        <Button variant="secondary" disabled={!isOnline || isBusy} onClick={() => dismiss.mutate(id)}>
          Dismiss <span className="sr-only">{shown}</span>
        </Button>
      </span>
    </li>
  )
}
