// Staff notices about a lead; customer messages are in the conversation.
import { t } from '@/lib/i18n'
import { Card } from '@/ui/card'
import type { LeadDetail } from '../queries'
import { LeadMessageItem } from './lead-message-item'

export function NoticesCard({ lead, timeZone }: { lead: LeadDetail; timeZone: string }) {
  const notices = lead.messages.filter(({ customerId }) => !customerId)
  if (notices.length === 0) return null
  return (
    <Card title={t('Notices to your people')} icon="bell">
      <ul className="grid gap-3">
        {notices.map((notice) => (
          <LeadMessageItem key={notice.id} leadId={lead.id} message={notice} timeZone={timeZone} />
        ))}
      </ul>
    </Card>
  )
}
