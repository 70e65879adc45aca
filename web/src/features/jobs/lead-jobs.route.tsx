// The jobs of a lead, on the lead's page.
import { useOutletContext } from 'react-router-dom'
import type { ConversationSlot } from '@/domain/message'
import { JobsCard } from './jobs-card'

export function Component() {
  const { leadId, leadName } = useOutletContext<ConversationSlot>()
  return <JobsCard lead={{ id: leadId, name: leadName }} />
}
