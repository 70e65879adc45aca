import { useOutletContext } from 'react-router-dom'
import type { ConversationRouteProps } from '@/domain/message'
import { Conversation } from './components/conversation'

export function Component() {
  const { customerId, leadId } = useOutletContext<ConversationRouteProps>()
  return (
    <section aria-label="Conversation" className="glass-card overflow-hidden">
      <Conversation key={customerId} customerId={customerId} leadId={leadId} />
    </section>
  )
}
