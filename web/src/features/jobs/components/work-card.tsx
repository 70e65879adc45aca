import { formatDuration } from '@/lib/format/duration'
import { t } from '@/lib/i18n'
import { Card } from '@/ui/card'
import { DescriptionItem, DescriptionList } from '@/ui/description-list'
import { crewLabel } from '../lib/labels'
import type { JobDetail } from '../types'
import { ExtraWorkList } from './extra-work'

const REQUIRED_PHOTOS_TEXT = {
  none: undefined,
  after: t('After the work'),
  before_and_after: t('Before and after the work'),
} as const satisfies Record<JobDetail['requiredPhotos'], string | undefined>

export function WorkCard({ job }: { job: JobDetail }) {
  const photos = REQUIRED_PHOTOS_TEXT[job.requiredPhotos]
  return (
    <Card title={t('The Work')} icon="wrench">
      <DescriptionList>
        <DescriptionItem label={t('Crew')}>{crewLabel(job.crewAssigned)}</DescriptionItem>
        <DescriptionItem label={t('Estimated duration')}>{formatDuration(job.estimatedDuration)}</DescriptionItem>
        <DescriptionItem label={t('Materials')}>
          {job.materialsNeeded.length === 0 ? (
            t('None listed')
          ) : (
            <ul className="grid list-disc gap-1 pl-4 marker:text-primary">
              {job.materialsNeeded.map((material) => (
                <li key={material}>{material}</li>
              ))}
            </ul>
          )}
        </DescriptionItem>
        {job.extraWork.length > 0 && (
          <DescriptionItem label={t('Extra work')}>
            <ExtraWorkList extraWork={job.extraWork} />
          </DescriptionItem>
        )}
        <DescriptionItem label={t('Special instructions')}>
          {job.specialInstructions ? <span className="whitespace-pre-line">{job.specialInstructions}</span> : t('None')}
        </DescriptionItem>
        {job.weatherConcerns && (
          <DescriptionItem label={t('Weather')}>
            <span className="whitespace-pre-line">{job.weatherConcerns}</span>
          </DescriptionItem>
        )}
        {photos && <DescriptionItem label={t('Required photos')}>{photos}</DescriptionItem>}
      </DescriptionList>
    </Card>
  )
}
