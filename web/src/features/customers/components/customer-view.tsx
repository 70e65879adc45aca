import { lazy, Suspense, useState } from 'react'
import { ErasureNotice } from '@/features/erasure/erasure-notice'
import { ProposalsNotice } from '@/features/contact-points/proposals-notice'
import { TEXT_OPT_OUTS, getTextOptOut } from '@/domain/customer'
import { telHref } from '@/lib/format/phone'
import { isDemoMode } from '@/lib/demo'
import { useMediaQuery } from '@/lib/hooks/use-media-query'
import { useOnline } from '@/lib/hooks/use-online'
import { useOnlineChunk } from '@/lib/hooks/use-online-chunk'
import { t } from '@/lib/i18n'
import { paths } from '@/lib/paths'
import { useCurrentUser } from '@/features/session/use-session'
import { Badge } from '@/ui/badge'
import { Button, ExternalButton, LinkButton } from '@/ui/button'
import { Skeleton } from '@/ui/skeleton'
import { customersMessages } from '../messages'
import type { Customer } from '../types'
import { ContactDetailsCard } from './contact-details-card'
import { ReviewEligibilityCard } from './review-eligibility-card'
import { ConsentsCard } from './consents-card'
import { DuplicatesNotice } from './duplicates-notice'
import { CustomerJobsCard } from './jobs-card'
import { CustomerLeadsCard } from './leads-card'
import { MergedRecordsNotice } from './merged-records-notice'
import { PendingEdits } from './pending-edits'
import { CustomerMoneyCard } from './money-card'
import { PropertiesCard } from './properties-card'
import { ConversationCard } from './conversation-card'

// Last on the page, and the owner's alone.
const loadPrivacyCard = () => import('./privacy-card')
const EditCustomerDialog = lazy(async () => ({ default: (await import('../actions/edit-dialog')).EditCustomerDialog }))
const FindDuplicateDialog = lazy(async () => ({
  default: (await import('../actions/find-dialog')).FindDuplicateDialog,
}))
const MergeCustomersDialog = lazy(async () => ({
  default: (await import('../actions/merge-dialog')).MergeCustomersDialog,
}))

export function CustomerView({ customer }: { customer: Customer }) {
  const { orgTimezone, role } = useCurrentUser()
  const isOwner = role === 'owner'
  const isWide = useMediaQuery('(min-width: 64rem)', true)
  const [otherId, setOtherId] = useState<string>()
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
      <CustomerHeader customer={customer} onCompare={setOtherId} />
      <ErasureNotice customerId={customer.id} erasure={customer.erasure} timeZone={orgTimezone} isCustomerPage />
      <PendingEdits customer={customer} />
      <ProposalsNotice proposals={customer.alsoGave} timeZone={orgTimezone} />
      <DuplicatesNotice duplicates={customer.duplicates} timeZone={orgTimezone} onCompare={setOtherId} />
      <MergedRecordsNotice merged={customer.mergedFrom} timeZone={orgTimezone} />
      <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
        <div className="grid min-w-0 grid-cols-[minmax(0,1fr)] gap-4">
          {!isWide && <ContactDetailsCard customer={customer} timeZone={orgTimezone} />}
          <CustomerLeadsCard leads={customer.leads} timeZone={orgTimezone} />
          <CustomerJobsCard jobs={customer.jobs} timeZone={orgTimezone} />
          <CustomerMoneyCard customer={customer} />
        </div>
        <div className="grid min-w-0 grid-cols-[minmax(0,1fr)] gap-4">
          {isWide && <ContactDetailsCard customer={customer} timeZone={orgTimezone} />}
          <PropertiesCard customer={customer} />
          <ConversationCard customer={customer} timeZone={orgTimezone} />
          <ConsentsCard consents={customer.consents} timeZone={orgTimezone} />
          <ReviewEligibilityCard customer={customer} />
          {isOwner && <OwnerPrivacyCard id={customer.id} />}
        </div>
      </div>
      {otherId !== undefined && (
        <Suspense fallback={null}>
          <MergeCustomersDialog id={customer.id} otherId={otherId} onClose={() => setOtherId(undefined)} />
        </Suspense>
      )}
    </div>
  )
}

function CustomerHeader({ customer, onCompare }: { customer: Customer; onCompare: (otherId: string) => void }) {
  const isOnline = useOnline()
  const [openDialog, setShown] = useState<'edit' | 'find'>()
  const close = () => setShown(undefined)
  return (
    <header className="flex flex-wrap items-start justify-between gap-3">
      <div className="min-w-0">
        <h1 className="text-title wrap-anywhere">{customer.name}</h1>
        <CustomerBadges customer={customer} />
      </div>
      <div className="grid w-full grid-cols-2 gap-2 sm:flex sm:w-auto sm:flex-wrap">
        {customer.phone && (
          <ExternalButton href={telHref(customer.phone)} icon="phone">
            {t('Call')}
          </ExternalButton>
        )}
        <LinkButton to={paths.thread(customer.id)} icon="message" variant="secondary">
          {t('Write')}
        </LinkButton>
        <Button variant="secondary" icon="pencil" disabled={!isOnline && isDemoMode()} onClick={() => setShown('edit')}>
          {t('Edit')}
        </Button>
        <Button variant="secondary" icon="copy" disabled={!isOnline} onClick={() => setShown('find')}>
          {t('Merge')}
        </Button>
      </div>
      {openDialog === 'edit' && (
        <Suspense fallback={null}>
          <EditCustomerDialog customer={customer} onClose={close} />
        </Suspense>
      )}
      {openDialog === 'find' && (
        <Suspense fallback={null}>
          <FindDuplicateDialog
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
function CustomerBadges({ customer }: { customer: Customer }) {
  const { isBlocked, isStaff, hasComplaint, smsOptOut, smsOptOutNumber } = customer
  const refusal = getTextOptOut(smsOptOut)
  if (!isBlocked && !isStaff && !hasComplaint && refusal === undefined) return null
  return (
    <p className="mt-2 flex flex-wrap gap-2">
      {refusal && (
        <Badge tone={TEXT_OPT_OUTS[refusal].tone} icon="shield">
          {TEXT_OPT_OUTS[refusal].label}
          {smsOptOutNumber && `: ${smsOptOutNumber}`}
        </Badge>
      )}
      {hasComplaint && (
        <Badge tone="warning" icon="alert">
          {t('There is a problem')}
        </Badge>
      )}
      {isBlocked && (
        <Badge tone="warning" icon="close">
          {t('Blocked: no rule writes to them')}
        </Badge>
      )}
      {isStaff && (
        <Badge tone="neutral" icon="leads">
          {t('Staff or relative')}
        </Badge>
      )}
    </p>
  )
}

/** Copying and erasing ask the server. */
function OwnerPrivacyCard({ id }: { id: string }) {
  const card = useOnlineChunk(loadPrivacyCard)
  if (card.status === 'missing') return <p className="text-note text-muted">{customersMessages.privacyOffline}</p>
  if (card.status === 'loading') return <Skeleton className="h-40 w-full rounded-box" />
  return <card.module.PrivacyCard id={id} />
}
