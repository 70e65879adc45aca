import type { LeadDetail } from '../queries'
import { DecisionsCard } from './decisions-card'
import { InquiriesCard } from './inquiries-card'
import { LeadHistoryCard } from './lead-history-card'
import { NoticesCard } from './notices-card'

export function HistoryTab({ lead, timeZone }: { lead: LeadDetail; timeZone: string }) {
  return (
    <>
      <InquiriesCard touches={lead.touches} timeZone={timeZone} />
      <LeadHistoryCard lead={lead} timeZone={timeZone} />
      <NoticesCard lead={lead} timeZone={timeZone} />
      <DecisionsCard lead={lead} timeZone={timeZone} />
    </>
  )
}
