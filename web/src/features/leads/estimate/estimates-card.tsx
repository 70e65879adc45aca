// The estimates of a lead: where each stands, and what can be done with it.
import { useQuery } from '@tanstack/react-query'
import { useCurrentUser } from '@/session/use-session'
import { Card } from '@/ui/card'
import { Disclosure } from '@/ui/disclosure'
import { QueryBoundary } from '@/ui/query-boundary'
import { SkeletonLines } from '@/ui/skeleton'
import { leadsMessages } from '../messages'
import { type EstimateView, type LeadDetail, leadQueries } from '../queries'
import { EstimateItem } from './estimate-item'
import { byWorth } from './status'

type EstimatesCardProps = { lead: LeadDetail; timeZone: string }

export function EstimatesCard({ lead, timeZone }: EstimatesCardProps) {
  const { orgId } = useCurrentUser()
  const estimates = useQuery(leadQueries.estimates(orgId, lead.id))
  return (
    <Card title="Estimates" icon="document">
      <QueryBoundary
        query={estimates}
        skeleton={<SkeletonLines />}
        errorText={leadsMessages.estimates.listFailed}
        timeZone={timeZone}
        isEmpty={(list) => list.length === 0}
        empty={<p className="text-muted">None yet. The first one is made under Quick Actions.</p>}
      >
        {(list) => <EstimateList lead={lead} estimates={list} timeZone={timeZone} />}
      </QueryBoundary>
    </Card>
  )
}

function EstimateList({ lead, estimates, timeZone }: EstimatesCardProps & { estimates: readonly EstimateView[] }) {
  const { current, earlier } = byWorth(estimates)
  const list = (some: readonly EstimateView[]) => (
    <ul className="grid gap-3">{some.map((estimate) => <EstimateItem key={estimate.id} lead={lead} estimate={estimate} timeZone={timeZone} />)}</ul>
  )
  return (
    <div className="grid gap-3">
      {list(current)}
      {earlier.length > 0 && <Disclosure summary={earlier.length === 1 ? 'One earlier version' : `${earlier.length} earlier versions`}>{list(earlier)}</Disclosure>}
    </div>
  )
}
