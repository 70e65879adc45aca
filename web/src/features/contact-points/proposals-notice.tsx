// Proposed contact details: "Also gave: (512) 555-0199. Use it?", and those that another request named too.
import { Link } from 'react-router-dom'
import { formatDateTime } from '@/lib/format/date'
import { t } from '@/lib/i18n'
import { paths } from '@/lib/paths'
import { useOnline } from '@/lib/hooks/use-online'
import { BreakableAddress } from '@/ui/breakable-address'
import { Button } from '@/ui/button'
import { Notice } from '@/ui/notice'
import { contactMessages as texts, endName } from './messages'
import { useDecideProposal } from './mutations'
import { OtherOwner } from './other-owner'
import type { ContactProposal } from './types'

type PageProps = { timeZone: string; /** The lead whose page it is. */ leadId?: string }
type ProposalsProps = PageProps & { proposals: readonly ContactProposal[] }

export function ProposalsNotice({ proposals, ...page }: ProposalsProps) {
  return (
    <>
      <NewAddressesNotice proposals={proposals.filter(({ isInUse }) => !isInUse)} {...page} />
      <UsedAddressesNotice proposals={proposals.filter(({ isInUse }) => isInUse)} {...page} />
    </>
  )
}

function NewAddressesNotice({ proposals, ...page }: ProposalsProps) {
  if (proposals.length === 0) return null
  return (
    <Notice
      tone="info"
      title={
        proposals.length === 1 ? t('Also gave another way to reach them') : t('Also gave other ways to reach them')
      }
    >
      {proposals.some(({ isUsable }) => isUsable) && <p>{texts.hint}</p>}
      <ul className="mt-2 grid gap-2">
        {proposals.map((proposal) => (
          <ProposalItem key={proposal.id} proposal={proposal} {...page} />
        ))}
      </ul>
    </Notice>
  )
}

/** Addresses that messages go to already. */
function UsedAddressesNotice({ proposals, ...page }: ProposalsProps) {
  if (proposals.length === 0) return null
  return (
    <Notice tone="info" title={proposals.length === 1 ? texts.namedElsewhere.one : texts.namedElsewhere.several}>
      <ul className="mt-2 grid gap-2">
        {proposals.map((proposal) => (
          <ProposalItem key={proposal.id} proposal={proposal} {...page} />
        ))}
      </ul>
    </Notice>
  )
}

type ProposalProps = PageProps & { proposal: ContactProposal }

function ProposalItem({ proposal, ...page }: ProposalProps) {
  const { id, kind, shown, isUsable, isInUse } = proposal
  const isOnline = useOnline()
  const use = useDecideProposal('use', kind)
  const dismiss = useDecideProposal('dismiss', kind)
  const isBusy = use.isPending || dismiss.isPending
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-3 gap-y-1.5">
      <span className="min-w-0 wrap-anywhere">
        {!isInUse && `${t('Also gave:')} `}
        <span className="font-semibold">
          <BreakableAddress>{shown}</BreakableAddress>
        </span>
        .{isUsable && !isInUse && ` ${t('Use it?')}`}
        <ProposalSource proposal={proposal} {...page} />
        <ProposalActivity proposal={proposal} />
        {isInUse ? <OtherRequest proposal={proposal} /> : <OtherOwner proposal={proposal} />}
      </span>
      <span className="flex flex-wrap gap-2">
        {isUsable && (
          <Button variant="secondary" disabled={!isOnline || isBusy} onClick={() => use.mutate(id)}>
            {isInUse ? t('It is theirs') : t('Use it')} <span className="sr-only">{shown}</span>
          </Button>
        )}
        <Button variant="secondary" disabled={!isOnline || isBusy} onClick={() => dismiss.mutate(id)}>
          {t('Dismiss')} <span className="sr-only">{shown}</span>
        </Button>
      </span>
    </li>
  )
}

/** The form that named it, with the name that was typed there. */
function ProposalSource({
  proposal: { typedAt, typedName, typedLeadId, isFirstForm },
  timeZone,
  leadId,
}: ProposalProps) {
  if (!typedAt) return null
  const form = texts.typedIn(formatDateTime(typedAt, timeZone), isFirstForm)
  return (
    <span className="block text-caption text-muted">
      {typedLeadId && typedLeadId !== leadId ? (
        <Link to={paths.lead(typedLeadId)} className="text-link">
          {form}
        </Link>
      ) : (
        form
      )}
      {typedName ? `, ${t('as “{name}”.', { name: typedName })}` : '.'}
    </span>
  )
}

/** Silence says nothing where the address is in another customer's conversation. */
function ProposalActivity({ proposal: { activity, belongsToId } }: { proposal: ContactProposal }) {
  if (belongsToId && (activity === 'nothing' || activity === 'written')) return null
  return <span className="block text-caption text-muted">{texts.activity[activity]}</span>
}

function OtherRequest({ proposal: { belongsTo, belongsToId } }: { proposal: ContactProposal }) {
  if (!belongsToId) return <span className="block">{texts.leftOut}</span>
  return (
    <span className="block">
      {t('Another request named this address too:')}{' '}
      <Link to={paths.customer(belongsToId)} className="text-link">
        {belongsTo}
      </Link>
      {endName(belongsTo)} {texts.stillUsed}
    </span>
  )
}
