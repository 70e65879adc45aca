// What was sent because of this lead, to whom, and how it stands.
import { Card } from '@/ui/card'
import type { LeadDetail } from '../queries'
import { MessageItem } from './message-item'

export function MessagesCard({ lead, timeZone }: { lead: LeadDetail; timeZone: string }) {
  return (
    <Card title="Messages" icon="message">
      {lead.messages.length === 0
        ? <p className="text-muted">{lead.heldReason ? 'Nothing has been sent: this request is held.' : 'Nothing has been sent yet.'}</p>
        : <ul className="grid gap-3">{lead.messages.map((message) => <MessageItem key={message.id} leadId={lead.id} message={message} timeZone={timeZone} />)}</ul>}
    </Card>
  )
}
