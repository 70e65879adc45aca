// Costs and margin of a job, hidden from crews.
import { useQuery } from '@tanstack/react-query'
import { lazy, type ReactNode, Suspense, useState } from 'react'
import { formatCents } from '@/lib/format/money'
import { formatPercent } from '@/lib/format/number'
import { formatDate } from '@/lib/format/date'
import { useOnline } from '@/lib/hooks/use-online'
import { useCurrentUser } from '@/features/session/use-session'
import { t } from '@/lib/i18n'
import { Badge } from '@/ui/badge'
import { Button, IconButton } from '@/ui/button'
import { Card } from '@/ui/card'
import { QueryBoundary } from '@/ui/query-boundary'
import { SkeletonLines } from '@/ui/skeleton'
import { jobsMessages } from '../messages'
import { useRemoveCost } from './cost-mutations'
import { costQueries } from './cost-queries'
import { COST_KINDS, type JobCost, type JobCosts, formatCostBreakdown } from './cost-text'

const CostDialog = lazy(async () => ({ default: (await import('./cost-dialog')).CostDialog }))
const texts = jobsMessages.costs

type CostsCardProps = { jobId: string; timeZone: string }

export function CostsCard({ jobId, timeZone }: CostsCardProps) {
  const { orgId } = useCurrentUser()
  const costs = useQuery(costQueries.ofJob(orgId, jobId))
  const isOnline = useOnline()
  const [isAdding, setIsAdding] = useState(false)
  return (
    <Card title={t('Costs')} icon="chart">
      <div className="grid gap-3">
        <QueryBoundary
          query={costs}
          skeleton={<SkeletonLines lines={2} />}
          errorText={texts.failed}
          timeZone={timeZone}
        >
          {(found) => <CostDetails costs={found} jobId={jobId} timeZone={timeZone} />}
        </QueryBoundary>
        <div className="flex flex-wrap items-center gap-3">
          <Button variant="secondary" icon="plus" disabled={!isOnline} onClick={() => setIsAdding(true)}>
            {t('Add cost')}
          </Button>
          {!isOnline && <p className="text-note text-warning">{jobsMessages.offline}</p>}
        </div>
      </div>
      {isAdding && (
        <Suspense fallback={null}>
          <CostDialog jobId={jobId} onClose={() => setIsAdding(false)} />
        </Suspense>
      )}
    </Card>
  )
}

function CostDetails({
  costs: { costs, total, margin },
  jobId,
  timeZone,
}: {
  costs: JobCosts
  jobId: string
  timeZone: string
}) {
  return (
    <>
      {costs.length === 0 ? (
        <p className="text-muted">{texts.none}</p>
      ) : (
        <ul aria-label={t('Costs, oldest first')} className="divide-y divide-primary/15">
          {costs.map((cost) => (
            <CostRow key={cost.id} cost={cost} jobId={jobId} timeZone={timeZone} />
          ))}
        </ul>
      )}
      <dl className="grid gap-1 border-t border-primary/22 pt-3">
        {costs.length > 0 && <TotalRow label={t('Costs in all')}>{formatCents(total)}</TotalRow>}
        {margin ? (
          <TotalRow label={t('Margin of this job')}>
            {margin.isEstimate && (
              <Badge tone="warning" icon="info" className="mr-2">
                {t('est.')}
                <span className="sr-only">: {texts.estimate}</span>
              </Badge>
            )}
            {formatCents(margin.amount)}, {formatPercent(margin.percent / 100)}
          </TotalRow>
        ) : (
          <TotalRow label={t('Margin of this job')}>
            <span className="font-normal text-muted">{texts.noPrice}</span>
          </TotalRow>
        )}
      </dl>
      {margin?.isEstimate && <p className="text-note text-muted">{texts.estimate}</p>}
    </>
  )
}

function TotalRow({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="flex flex-wrap items-baseline justify-between gap-x-3">
      <dt className="text-note text-muted">{label}</dt>
      <dd className="font-semibold tabular-nums">{children}</dd>
    </div>
  )
}

function CostRow({ cost, jobId, timeZone }: { cost: JobCost; jobId: string; timeZone: string }) {
  const remove = useRemoveCost(jobId)
  const isOnline = useOnline()
  const { kind, note, by, at, amount } = cost
  const details = [formatCostBreakdown(cost), by, formatDate(at, timeZone)].filter(Boolean).join(', ')
  const name = note ?? COST_KINDS[kind]
  return (
    <li className="flex items-center gap-2 py-1">
      <span className="min-w-0 flex-1">
        <span className="block wrap-anywhere">{note ? `${COST_KINDS[kind]}: ${note}` : COST_KINDS[kind]}</span>
        <span className="block text-note text-muted tabular-nums">{details}</span>
      </span>
      <span className="font-semibold tabular-nums">{formatCents(amount)}</span>
      <IconButton
        label={t('Remove {name}, {amount}', { name, amount: formatCents(amount) })}
        icon="trash"
        disabled={!isOnline || remove.isPending}
        onClick={() => remove.mutate(cost)}
      />
    </li>
  )
}
