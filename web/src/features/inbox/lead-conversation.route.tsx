// The conversation with a lead's customer, on the lead's page.
import { useOutletContext } from 'react-router-dom'
import type { ConversationSlot } from '@/domain/message'
import { Conversation } from './components/conversation'

export function Component() {
  const { customerId, leadId } = useOutletContext<ConversationSlot>()
  return (
    <section aria-label="Conversation" className="glass-card overflow-hidden">
      <Conversation key={customerId} customerId={customerId} leadId={leadId} />
    </section>
  )
}
