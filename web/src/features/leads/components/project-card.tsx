// What they want, in their words, with their photos.
import { useId, useState } from 'react'
import { serviceLabel } from '@/domain/lead'
import { classNames } from '@/lib/class-names'
import { plural, t } from '@/lib/i18n'
import { Button } from '@/ui/button'
import { Card } from '@/ui/card'
import { DescriptionItem, DescriptionList } from '@/ui/description-list'
import { PhotoGallery } from '@/ui/photo-gallery'
import type { LeadDetail } from '../queries'

export function ProjectCard({ lead }: { lead: LeadDetail }) {
  return (
    <Card
      title={t('Project Details')}
      icon="document"
      aside={<span className="text-note text-muted">{serviceLabel(lead.service)}</span>}
    >
      <div className="grid grid-cols-[minmax(0,1fr)] gap-3">
        {lead.notes ? <CustomerWords>{lead.notes}</CustomerWords> : <p className="text-muted">{t('Not provided')}</p>}
        {(lead.timelinePreference || lead.budgetRange) && (
          <DescriptionList>
            {lead.timelinePreference && (
              <DescriptionItem label={t('Timeline')}>{lead.timelinePreference}</DescriptionItem>
            )}
            {lead.budgetRange && <DescriptionItem label={t('Budget')}>{lead.budgetRange}</DescriptionItem>}
          </DescriptionList>
        )}
        {lead.photos.length > 0 && (
          <div>
            <h3 className="mb-2 text-note font-semibold text-muted">
              {t('Photos ({count})', { count: lead.photos.length })}
            </h3>
            <PhotoGallery photos={lead.photos} layout="strip" />
          </div>
        )}
        {lead.photosWaiting > 0 && (
          <p className="text-note text-muted">
            {plural(lead.photosWaiting, 'A photo is being prepared.', '{count} photos are being prepared.')}
          </p>
        )}
      </div>
    </Card>
  )
}

/** More than about four lines on a phone. */
const LONG_TEXT = 180
const MAX_LINES = 4

/** A long request is cut until all of it is asked for. */
function CustomerWords({ children }: { children: string }) {
  const id = useId()
  const [isWhole, setIsWhole] = useState(false)
  const isLong = children.length > LONG_TEXT || children.split('\n').length > MAX_LINES
  return (
    <div>
      <p
        id={id}
        className={classNames('max-w-[68ch] wrap-anywhere whitespace-pre-line', isLong && !isWhole && 'line-clamp-4')}
      >
        {children}
      </p>
      {isLong && (
        <Button
          variant="ghost"
          className="-ml-4 text-note!"
          aria-expanded={isWhole}
          aria-controls={id}
          onClick={() => setIsWhole(!isWhole)}
        >
          {isWhole ? t('Show less') : t('Show all')}
        </Button>
      )}
    </div>
  )
}
