// The jobs of a lead, on the lead's page.
import { useQuery } from '@tanstack/react-query'
import { useOutletContext } from 'react-router-dom'
import type { ConversationSlot } from '@/domain/message'
import { useCurrentUser } from '@/session/use-session'
import { Card } from '@/ui/card'
import { QueryBoundary } from '@/ui/query-boundary'
import { SkeletonLines } from '@/ui/skeleton'
import { JobsCard } from './jobs-card'
import { jobsMessages } from './messages'
import { jobQueries } from './queries'

export function Component() {
  const { leadId, leadName } = useOutletContext<ConversationSlot>()
  const { orgId, orgTimezone } = useCurrentUser()
  const jobs = useQuery(jobQueries.ofLead(orgId, leadId))
  if (jobs.data) return <JobsCard lead={{ id: leadId, name: leadName }} jobs={jobs.data} />
  return (
    <Card title="Jobs" icon="briefcase">
      <QueryBoundary query={jobs} skeleton={<SkeletonLines />} errorText={jobsMessages.listFailed} timeZone={orgTimezone}>{() => null}</QueryBoundary>
    </Card>
  )
}
