import { useOutletContext } from 'react-router-dom'
import type { ConversationRouteProps } from '@/domain/message'
import { LeadJobsCard } from './lead-jobs-card'

export function Component() {
  const { leadId, leadName } = useOutletContext<ConversationRouteProps>()
  return <LeadJobsCard lead={{ id: leadId, name: leadName }} />
}
