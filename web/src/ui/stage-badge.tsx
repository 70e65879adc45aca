import { LEAD_STAGES, type LeadStage } from '@/domain/lead'
import { Badge } from './badge'

export function StageBadge({ stage }: { stage: LeadStage }) {
  const { label, tone, icon } = LEAD_STAGES[stage]
  return (
    <Badge tone={tone} icon={icon}>
      {label}
    </Badge>
  )
}
