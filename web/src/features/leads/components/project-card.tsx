// What is to be done: the customer's words and pictures.
import { Card } from '@/ui/card'
import type { LeadDetail } from '../queries'
import { Fact, Facts } from './facts'
import { PhotoStrip } from './photo-strip'

export function ProjectCard({ lead }: { lead: LeadDetail }) {
  return (
    <Card title="Project Details" icon="document">
      <div className="grid gap-4">
        <p className={lead.notes ? 'max-w-[68ch] wrap-anywhere whitespace-pre-line' : 'text-muted'}>{lead.notes || 'Not provided'}</p>
        {(lead.timelinePreference || lead.budgetRange) && (
          <Facts>
            {lead.timelinePreference && <Fact label="Timeline">{lead.timelinePreference}</Fact>}
            {lead.budgetRange && <Fact label="Budget">{lead.budgetRange}</Fact>}
          </Facts>
        )}
        {lead.photos.length > 0 && <PhotoStrip photos={lead.photos} />}
      </div>
    </Card>
  )
}
