import { useQuery } from '@tanstack/react-query'
import type { WorkEvent } from '@/domain/lead'
import type { EstimateView } from '@/features/documents/estimate/types'
import { formatDateTime } from '@/lib/format/date'
import { formatMoney } from '@/lib/format/money'
import { classNames } from '@/lib/class-names'
import { useCurrentUser } from '@/features/session/use-session'
import { t } from '@/lib/i18n'
import { Card } from '@/ui/card'
import { DescriptionItem, DescriptionList } from '@/ui/description-list'
import { Icon } from '@/ui/icon'
import { type LeadDetail, leadQueries } from '../queries'

type CardProps = { lead: LeadDetail; timeZone: string }
type ProgressStep = { label: string; isDone: boolean; at?: string | null | undefined }

/** What put a job on a day. */
const SCHEDULING_EVENTS: ReadonlySet<WorkEvent['kind']> = new Set(['job_scheduled', 'booked'])

/** When the first estimate went out; the papers know it better than the stage does. */
function estimateStep(lead: LeadDetail, estimates: readonly EstimateView[]): ProgressStep {
  const [first] = estimates
    .flatMap(({ sentAt, unsent }) => (unsent ? [] : (sentAt ?? [])))
    .toSorted((a, b) => Date.parse(a) - Date.parse(b))
  const isQuotedOtherwise = estimates.length === 0 && typeof lead.quotedTotal === 'number'
  return { label: t('Estimate Sent'), isDone: first !== undefined || isQuotedOtherwise, at: first }
}

/** When the day was set; the day itself is shown above. */
function scheduledStep({ events, scheduledAt, stage }: LeadDetail): ProgressStep {
  const last = events.findLast(({ kind, undone }) => !undone && SCHEDULING_EVENTS.has(kind))
  return {
    label: t('Job Scheduled'),
    isDone: Boolean(scheduledAt) || stage === 'Scheduled' || stage === 'Done',
    at: last?.at ?? scheduledAt,
  }
}

function describeQuote({ quotedTotal }: LeadDetail, estimates: readonly EstimateView[]): string {
  if (typeof quotedTotal === 'number') return formatMoney(quotedTotal)
  const declined = estimates.find(({ status }) => status === 'declined')
  return declined ? t('{total}, declined', { total: formatMoney(declined.total) }) : t('Not quoted')
}

export function ProgressCard({ lead, timeZone }: CardProps) {
  const { orgId } = useCurrentUser()
  const { data: estimates = [] } = useQuery(leadQueries.estimates(orgId, lead.id))
  const steps = [
    { label: t('Lead Created'), isDone: true, at: lead.createdAt },
    estimateStep(lead, estimates),
    scheduledStep(lead),
  ] satisfies ProgressStep[]
  return (
    <Card title={t('Job Progress')} icon="briefcase">
      <DescriptionList>
        <DescriptionItem label={t('Quoted amount')}>{describeQuote(lead, estimates)}</DescriptionItem>
        <DescriptionItem label={t('Scheduled date')}>
          {lead.scheduledAt ? formatDateTime(lead.scheduledAt, timeZone) : t('Not scheduled')}
        </DescriptionItem>
      </DescriptionList>
      <ol aria-label={t('Timeline')} className="mt-5 grid">
        {steps.map((step) => (
          <TimelineStep key={step.label} step={step} timeZone={timeZone} />
        ))}
      </ol>
    </Card>
  )
}

function TimelineStep({ step, timeZone }: { step: ProgressStep; timeZone: string }) {
  return (
    <li className="group flex gap-3">
      <span aria-hidden="true" className="flex flex-col items-center">
        <span
          className={classNames(
            'grid size-8 shrink-0 place-items-center rounded-full border',
            step.isDone ? 'border-success/55 bg-success/8 text-success' : 'border-muted/40 text-muted',
          )}
        >
          <Icon name={step.isDone ? 'check' : 'clock'} className="size-4" />
        </span>
        <span className="w-px flex-1 bg-primary/30 group-last:hidden" />
      </span>
      <span className="pb-4 group-last:pb-0">
        <span className="block pt-1 font-semibold">{step.label}</span>
        <span className="block text-note text-muted">
          {step.isDone ? (step.at ? formatDateTime(step.at, timeZone) : t('Completed')) : t('Pending')}
        </span>
      </span>
    </li>
  )
}
