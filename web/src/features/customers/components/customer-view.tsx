// One record: who they are, what they asked for, what was done, what is owed, and what was said.
import { lazy, Suspense, useState } from 'react'
import { ProposalsNotice } from '@/features/contact-points/proposals-notice'
import { REFUSALS, refusalOf } from '@/domain/customer'
import { telHref } from '@/lib/format/phone'
import { useMedia } from '@/lib/hooks/use-media'
import { useOnline } from '@/lib/hooks/use-online'
import { paths } from '@/lib/paths'
import { useCurrentUser } from '@/session/use-session'
import { Badge } from '@/ui/badge'
import { Button, ExternalButton, LinkButton } from '@/ui/button'
import type { Customer } from '../types'
import { AboutCard } from './about-card'
import { AskingCard } from './asking-card'
import { ConsentsCard } from './consents-card'
import { DuplicatesNotice } from './duplicates-notice'
import { JobsCard } from './jobs-card'
import { LeadsCard } from './leads-card'
import { MergedStrips } from './merged-strips'
import { MoneyCard } from './money-card'
import { PlacesCard } from './places-card'
import { PrivacyCard } from './privacy-card'
import { TalkCard } from './talk-card'

const EditDialog = lazy(async () => ({ default: (await import('../actions/edit-dialog')).EditDialog }))
const FindDialog = lazy(async () => ({ default: (await import('../actions/find-dialog')).FindDialog }))
const MergeDialog = lazy(async () => ({ default: (await import('../actions/merge-dialog')).MergeDialog }))

export function CustomerView({ customer }: { customer: Customer }) {
  const { orgTimezone, role } = useCurrentUser()
  const isOwner = role === 'owner'
  const isWide = useMedia('(min-width: 64rem)', true)
  const [otherId, setOtherId] = useState<string>()
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
      <Head customer={customer} onCompare={setOtherId} />
      <ProposalsNotice proposals={customer.alsoGave} />
      <DuplicatesNotice duplicates={customer.duplicates} onCompare={setOtherId} />
      <MergedStrips merged={customer.mergedFrom} timeZone={orgTimezone} />
      <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
        <div className="grid min-w-0 grid-cols-[minmax(0,1fr)] gap-4">
          {!isWide && <AboutCard customer={customer} timeZone={orgTimezone} />}
          <LeadsCard leads={customer.leads} timeZone={orgTimezone} />
          <JobsCard jobs={customer.jobs} timeZone={orgTimezone} />
          <MoneyCard customer={customer} />
        </div>
        <div className="grid min-w-0 grid-cols-[minmax(0,1fr)] gap-4">
          {isWide && <AboutCard customer={customer} timeZone={orgTimezone} />}
          <PlacesCard customer={customer} />
          <TalkCard customer={customer} timeZone={orgTimezone} />
          <ConsentsCard consents={customer.consents} timeZone={orgTimezone} />
          <AskingCard customer={customer} />
          {isOwner && <PrivacyCard id={customer.id} />}
        </div>
      </div>
      {otherId !== undefined && (
        <Suspense fallback={null}>
          <MergeDialog id={customer.id} otherId={otherId} onClose={() => setOtherId(undefined)} />
        </Suspense>
      )}
    </div>
  )
}

function Head({ customer, onCompare }: { customer: Customer; onCompare: (otherId: string) => void }) {
  const isOnline = useOnline()
  const [shown, setShown] = useState<'edit' | 'find'>()
  const close = () => setShown(undefined)
  return (
    <header className="flex flex-wrap items-start justify-between gap-3">
      <div className="min-w-0">
        <h1 className="text-title wrap-anywhere">{customer.name}</h1>
        <Marks customer={customer} />
      </div>
      <div className="grid w-full grid-cols-2 gap-2 sm:flex sm:w-auto sm:flex-wrap">
        {customer.phone && (
          <ExternalButton href={telHref(customer.phone)} icon="phone">
            Call
          </ExternalButton>
        )}
        <LinkButton to={paths.thread(customer.id)} icon="message" variant="secondary">
          Write
        </LinkButton>
        <Button variant="secondary" icon="pencil" disabled={!isOnline} onClick={() => setShown('edit')}>
          Edit
        </Button>
        <Button variant="secondary" icon="copy" disabled={!isOnline} onClick={() => setShown('find')}>
          Merge
        </Button>
      </div>
      {shown === 'edit' && (
        <Suspense fallback={null}>
          <EditDialog customer={customer} onClose={close} />
        </Suspense>
      )}
      {shown === 'find' && (
        <Suspense fallback={null}>
          <FindDialog
            customer={customer}
            onClose={close}
            onFound={(otherId) => {
              close()
              onCompare(otherId)
            }}
          />
        </Suspense>
      )}
    </header>
  )
}

/** What must be known before anybody writes to them. */
function Marks({ customer: { isBlocked, isStaff, hasComplaint, smsOptOut } }: { customer: Customer }) {
  const refusal = refusalOf(smsOptOut)
  if (!isBlocked && !isStaff && !hasComplaint && refusal === undefined) return null
  return (
    <p className="mt-2 flex flex-wrap gap-2">
      {refusal && (
        <Badge tone={REFUSALS[refusal].tone} icon="shield">
          {REFUSALS[refusal].label}
        </Badge>
      )}
      {hasComplaint && (
        <Badge tone="warning" icon="alert">
          There is a problem
        </Badge>
      )}
      {isBlocked && (
        <Badge tone="warning" icon="close">
          Blocked: no rule writes to them
        </Badge>
      )}
      {isStaff && (
        <Badge tone="neutral" icon="leads">
          Staff or relative
        </Badge>
      )}
    </p>
  )
}
