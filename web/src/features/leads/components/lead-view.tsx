import { Suspense } from 'react'
import { Outlet } from 'react-router-dom'
import type { ConversationRouteProps, LeadPageSlot } from '@/domain/message'
import { ProposalsNotice } from '@/features/contact-points/proposals-notice'
import { RequestDuplicatesNotice } from '@/features/contact-points/request-duplicates-notice'
import { ErasureNotice } from '@/features/erasure/erasure-notice'
import { useMediaQuery } from '@/lib/hooks/use-media-query'
import { useCurrentUser } from '@/features/session/use-session'
import { SkeletonLines } from '@/ui/skeleton'
import { useMarkLeadAlertsSeen } from '../mutations'
import { NextStepCard } from '../next-step/next-step-card'
import type { LeadDetail } from '../queries'
import { HeldVisitNotice } from './held-visit-notice'
import { LeadHeader } from './lead-header'
import { LeadTabs } from './lead-tabs'
import { ProjectCard } from './project-card'
import { ReleasedLeadBanner } from './released-banner'

export function LeadView({ lead }: { lead: LeadDetail }) {
  const { orgTimezone } = useCurrentUser()
  const isWide = useMediaQuery('(min-width: 64rem)', true)
  const isErased = Boolean(lead.erasure?.erasedAt)
  useMarkLeadAlertsSeen(lead.id)
  const slot = (name: LeadPageSlot) => (
    <Outlet
      context={
        {
          slot: name,
          customerId: lead.customerId,
          leadId: lead.id,
          leadName: lead.name,
        } satisfies ConversationRouteProps
      }
    />
  )
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
      <LeadHeader lead={lead} />
      <ErasureNotice customerId={lead.customerId} erasure={lead.erasure} timeZone={orgTimezone} />
      {!isErased && <ReleasedLeadBanner lead={lead} />}
      {!isErased && <HeldVisitNotice lead={lead} timeZone={orgTimezone} />}
      <ProposalsNotice proposals={lead.alsoGave} timeZone={orgTimezone} leadId={lead.id} />
      <RequestDuplicatesNotice customerId={lead.customerId} duplicates={lead.duplicates} timeZone={orgTimezone} />
      <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-4 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
        <div className="grid min-w-0 gap-4">
          <ProjectCard lead={lead} />
          {!isErased && <NextStepCard lead={lead} />}
          {isWide && <Suspense fallback={<SkeletonLines lines={6} />}>{slot('conversation')}</Suspense>}
        </div>
        <LeadTabs lead={lead} slot={slot} hasConversation={!isWide} timeZone={orgTimezone} />
      </div>
    </div>
  )
}
