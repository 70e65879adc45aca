// The invoices of a lead, on the lead's page.
import { useOutletContext } from 'react-router-dom'
import type { ConversationSlot } from '@/domain/message'
import { InvoicesCard } from './components/invoices-card'

export function Component() {
  const { leadId } = useOutletContext<ConversationSlot>()
  return <InvoicesCard leadId={leadId} />
}
