// How far the job has come.
import { formatDateTime } from '@/lib/format/date'
import { formatMoney } from '@/lib/format/money'
import { classNames } from '@/lib/class-names'
import { Card } from '@/ui/card'
import { Icon } from '@/ui/icon'
import type { LeadDetail } from '../queries'
import { Fact, Facts } from './facts'

type CardProps = { lead: LeadDetail; timeZone: string }
type Step = { label: string; isDone: boolean; at?: string | null | undefined }

function stepsOf(lead: LeadDetail): Step[] {
  return [
    { label: 'Lead Created', isDone: true, at: lead.createdAt },
    { label: 'Estimate Sent', isDone: lead.stage !== 'New' || typeof lead.quotedTotal === 'number' },
    { label: 'Job Scheduled', isDone: Boolean(lead.scheduledAt) || lead.stage === 'Scheduled' || lead.stage === 'Done' || lead.stage === 'Paid', at: lead.scheduledAt },
  ]
}

export function ProgressCard({ lead, timeZone }: CardProps) {
  return (
    <Card title="Job Progress" icon="briefcase">
      <Facts>
        <Fact label="Quoted amount">{typeof lead.quotedTotal === 'number' ? formatMoney(lead.quotedTotal) : 'Not quoted'}</Fact>
        <Fact label="Scheduled date">{lead.scheduledAt ? formatDateTime(lead.scheduledAt, timeZone) : 'Not scheduled'}</Fact>
      </Facts>
      <ol aria-label="Timeline" className="mt-5 grid">
        {stepsOf(lead).map((step) => <TimelineStep key={step.label} step={step} timeZone={timeZone} />)}
      </ol>
    </Card>
  )
}

function TimelineStep({ step, timeZone }: { step: Step; timeZone: string }) {
  return (
    <li className="group flex gap-3">
      <span aria-hidden="true" className="flex flex-col items-center">
        <span className={classNames('grid size-8 shrink-0 place-items-center rounded-full border', step.isDone ? 'border-success/55 bg-success/8 text-success' : 'border-muted/40 text-muted')}>
          <Icon name={step.isDone ? 'check' : 'clock'} className="size-4" />
        </span>
        <span className="w-px flex-1 bg-primary/30 group-last:hidden" />
      </span>
      <span className="pb-4 group-last:pb-0">
        <span className="block pt-1 font-semibold">{step.label}</span>
        <span className="block text-note text-muted">{step.isDone ? (step.at ? formatDateTime(step.at, timeZone) : 'Completed') : 'Pending'}</span>
      </span>
    </li>
  )
}
