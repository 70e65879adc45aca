import { Card } from '@/ui/card'
import { DescriptionItem, DescriptionList } from '@/ui/description-list'
import { PhotoGallery } from '@/ui/photo-gallery'
import type { LeadDetail } from '../queries'

export function ProjectCard({ lead }: { lead: LeadDetail }) {
  return (
    <Card title="Project Details" icon="document">
      <div className="grid gap-4">
        <p className={lead.notes ? 'max-w-[68ch] wrap-anywhere whitespace-pre-line' : 'text-muted'}>
          {lead.notes || 'Not provided'}
        </p>
        {(lead.timelinePreference || lead.budgetRange) && (
          <DescriptionList>
            {lead.timelinePreference && <DescriptionItem label="Timeline">{lead.timelinePreference}</DescriptionItem>}
            {lead.budgetRange && <DescriptionItem label="Budget">{lead.budgetRange}</DescriptionItem>}
          </DescriptionList>
        )}
        {lead.photos.length > 0 && (
          <div>
            <h3 className="mb-2 text-note font-semibold text-muted">Photos ({lead.photos.length})</h3>
            <PhotoGallery photos={lead.photos} layout="grid" />
          </div>
        )}
        {lead.photosWaiting > 0 && (
          <p className="text-note text-muted">
            {lead.photosWaiting === 1
              ? 'A photo is being prepared.'
              : `${lead.photosWaiting} photos are being prepared.`}
          </p>
        )}
      </div>
    </Card>
  )
}
