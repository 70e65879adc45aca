import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'
import type { EstimateView } from '@/features/documents/estimate/types'
import { EstimateListItem } from '@/features/documents/estimate/estimate-list-item'
import { splitByRelevance, getEstimatePermissions } from '@/features/documents/estimate/statuses'
import { useCurrentUser } from '@/features/session/use-session'
import { plural, t } from '@/lib/i18n'
import { Card } from '@/ui/card'
import { Disclosure } from '@/ui/disclosure'
import { QueryBoundary } from '@/ui/query-boundary'
import { SkeletonLines } from '@/ui/skeleton'
import { leadsMessages } from '../messages'
import { type LeadDetail, leadQueries } from '../queries'

const EstimateDialog = lazy(async () => ({ default: (await import('./estimate-dialog')).EstimateDialog }))

type EstimatesCardProps = { lead: LeadDetail; timeZone: string }

export function EstimatesCard({ lead, timeZone }: EstimatesCardProps) {
  const { orgId } = useCurrentUser()
  const estimates = useQuery(leadQueries.estimates(orgId, lead.id))
  return (
    <Card title={t('Estimates')} icon="document">
      <QueryBoundary
        query={estimates}
        skeleton={<SkeletonLines />}
        errorText={leadsMessages.estimates.listFailed}
        timeZone={timeZone}
        isEmpty={(list) => list.length === 0}
        empty={<p className="text-muted">{t('None yet. Send the first one from the next step, or under More.')}</p>}
      >
        {(list) => <EstimateList lead={lead} estimates={list} timeZone={timeZone} />}
      </QueryBoundary>
    </Card>
  )
}

function EstimateList({ lead, estimates, timeZone }: EstimatesCardProps & { estimates: readonly EstimateView[] }) {
  const { current, earlier } = splitByRelevance(estimates)
  const list = (some: readonly EstimateView[]) => (
    <ul className="grid gap-3">
      {some.map((estimate) => (
        <EstimateItem key={estimate.id} lead={lead} estimate={estimate} timeZone={timeZone} />
      ))}
    </ul>
  )
  return (
    <div className="grid gap-3">
      {list(current)}
      {earlier.length > 0 && (
        <Disclosure summary={plural(earlier.length, 'One earlier version', '{count} earlier versions')}>
          {list(earlier)}
        </Disclosure>
      )}
    </div>
  )
}

function EstimateItem({ lead, estimate, timeZone }: EstimatesCardProps & { estimate: EstimateView }) {
  const [isRevising, setIsRevising] = useState(false)
  return (
    <EstimateListItem
      estimate={estimate}
      to={lead}
      may={getEstimatePermissions(estimate)}
      onRevise={() => setIsRevising(true)}
      isLeadPaid={lead.stage === 'Paid'}
      timeZone={timeZone}
    >
      {isRevising && (
        <Suspense fallback={null}>
          <EstimateDialog lead={lead} revised={estimate} onClose={() => setIsRevising(false)} />
        </Suspense>
      )}
    </EstimateListItem>
  )
}
