import { Suspense } from 'react'
import { Outlet } from 'react-router-dom'
import type { ConversationRouteProps, LeadPageSlot } from '@/domain/message'
import { ProposalsNotice } from '@/features/contact-points/proposals-notice'
import { RequestDuplicatesNotice } from '@/features/contact-points/request-duplicates-notice'
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
      <ReleasedLeadBanner lead={lead} />
      <HeldVisitNotice lead={lead} timeZone={orgTimezone} />
      <ProposalsNotice proposals={lead.alsoGave} timeZone={orgTimezone} leadId={lead.id} />
      <RequestDuplicatesNotice customerId={lead.customerId} duplicates={lead.duplicates} timeZone={orgTimezone} />
      <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-4 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
        <div className="grid min-w-0 gap-4">
          <ProjectCard lead={lead} />
          <NextStepCard lead={lead} />
          {isWide && <Suspense fallback={<SkeletonLines lines={6} />}>{slot('conversation')}</Suspense>}
        </div>
        <LeadTabs lead={lead} slot={slot} hasConversation={!isWide} timeZone={orgTimezone} />
      </div>
    </div>
  )
}
