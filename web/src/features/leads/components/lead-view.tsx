import { Link, Outlet } from 'react-router-dom'
import { paths } from '@/lib/paths'
import { LEAD_NUMBER_LENGTH } from '@/domain/lead'
import type { ConversationRouteProps } from '@/domain/message'
import { ProposalsNotice } from '@/features/contact-points/proposals-notice'
import { RequestDuplicatesNotice } from '@/features/contact-points/request-duplicates-notice'
import { telHref } from '@/lib/format/phone'
import { useMediaQuery } from '@/lib/hooks/use-media-query'
import { useCurrentUser } from '@/features/session/use-session'
import { ExternalButton, LinkButton } from '@/ui/button'
import { Icon } from '@/ui/icon'
import { StageBadge } from '@/ui/stage-badge'
import { useMarkLeadAlertsSeen } from '../mutations'
import type { LeadDetail } from '../queries'
import { EstimatesCard } from '../estimate/estimates-card'
import { LeadMoneyCard } from '../money/money-card'
import { LeadContactCard } from './contact-card'
import { LeadHistoryCard } from './lead-history-card'
import { HeldLeadBanner } from './held-banner'
import { HeldVisitNotice } from './held-visit-notice'
import { LeadSourceCard } from './lead-source-card'
import { LeadBadges } from './lead-badges'
import { NoticesCard } from './notices-card'
import { ProgressCard } from './progress-card'
import { ProjectCard } from './project-card'
import { QuickActions } from './quick-actions'
import { ReleasedLeadBanner } from './released-banner'
import { InquiriesCard } from './inquiries-card'
import { DecisionsCard } from './decisions-card'

export function LeadView({ lead }: { lead: LeadDetail }) {
  const { orgTimezone } = useCurrentUser()
  const phone = lead.phoneE164 ?? lead.phone
  const isWide = useMediaQuery('(min-width: 64rem)', true)
  useMarkLeadAlertsSeen(lead.id)
  return (
    <div className="grid gap-4">
      <header className="flex flex-wrap items-start justify-between gap-3">
        <div className="min-w-0">
          <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
            <h1 className="min-w-0 text-title wrap-anywhere">{lead.name}</h1>
            <StageBadge stage={lead.stage} />
          </div>
          <p className="mt-1 mb-2 flex flex-wrap items-center gap-x-3 text-muted">
            <span>Lead #{lead.id.slice(0, LEAD_NUMBER_LENGTH)}</span>
            <Link to={paths.customer(lead.customerId)} className="text-link inline-flex min-h-6 items-center gap-1.5">
              <Icon name="user" className="size-4" />
              Customer record
            </Link>
          </p>
          <LeadBadges lead={lead} />
        </div>
        {phone && (
          <div className="grid w-full grid-cols-2 gap-2 sm:flex sm:w-auto">
            <ExternalButton href={telHref(phone)} icon="phone">
              Call
            </ExternalButton>
            <LinkButton to={paths.thread(lead.customerId)} icon="message" variant="secondary">
              Text
            </LinkButton>
          </div>
        )}
        {!phone && lead.email && (
          <LinkButton to={paths.thread(lead.customerId)} icon="mail">
            Email
          </LinkButton>
        )}
      </header>
      {lead.heldReason && <HeldLeadBanner lead={lead} reason={lead.heldReason} />}
      <ReleasedLeadBanner lead={lead} />
      <HeldVisitNotice lead={lead} timeZone={orgTimezone} />
      <ProposalsNotice proposals={lead.alsoGave} />
      <RequestDuplicatesNotice customerId={lead.customerId} duplicates={lead.duplicates} timeZone={orgTimezone} />
      <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
        <div className="grid min-w-0 gap-4">
          {!isWide && <LeadContactCard lead={lead} />}
          {!isWide && <QuickActions lead={lead} />}
          <ProjectCard lead={lead} />
          <EstimatesCard lead={lead} timeZone={orgTimezone} />
          <Outlet
            context={
              { customerId: lead.customerId, leadId: lead.id, leadName: lead.name } satisfies ConversationRouteProps
            }
          />
          <LeadMoneyCard lead={lead} timeZone={orgTimezone} />
          <InquiriesCard touches={lead.touches} timeZone={orgTimezone} />
        </div>
        <div className="grid min-w-0 gap-4">
          {isWide && <LeadContactCard lead={lead} />}
          {isWide && <QuickActions lead={lead} />}
          <ProgressCard lead={lead} timeZone={orgTimezone} />
          <LeadSourceCard lead={lead} timeZone={orgTimezone} />
          <LeadHistoryCard lead={lead} timeZone={orgTimezone} />
          <NoticesCard lead={lead} timeZone={orgTimezone} />
          <DecisionsCard lead={lead} timeZone={orgTimezone} />
        </div>
      </div>
    </div>
  )
}
