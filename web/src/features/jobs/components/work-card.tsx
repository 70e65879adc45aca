import { UNASSIGNED } from '@/domain/job'
import { formatDuration } from '@/lib/format/duration'
import { Card } from '@/ui/card'
import { DescriptionItem, DescriptionList } from '@/ui/description-list'
import type { JobDetail } from '../types'
import { ExtraWorkList } from './extra-work'

const REQUIRED_PHOTOS_TEXT = {
  none: undefined,
  after: 'After the work',
  before_and_after: 'Before and after the work',
} as const satisfies Record<JobDetail['requiredPhotos'], string | undefined>

export function WorkCard({ job }: { job: JobDetail }) {
  const photos = REQUIRED_PHOTOS_TEXT[job.requiredPhotos]
  return (
    <Card title="The Work" icon="wrench">
      <DescriptionList>
        <DescriptionItem label="Crew">{job.crewAssigned || UNASSIGNED}</DescriptionItem>
        <DescriptionItem label="Estimated duration">{formatDuration(job.estimatedDuration)}</DescriptionItem>
        <DescriptionItem label="Materials">
          {job.materialsNeeded.length === 0 ? (
            'None listed'
          ) : (
            <ul className="grid list-disc gap-1 pl-4 marker:text-primary">
              {job.materialsNeeded.map((material) => (
                <li key={material}>{material}</li>
              ))}
            </ul>
          )}
        </DescriptionItem>
        {job.extraWork.length > 0 && (
          <DescriptionItem label="Extra work">
            <ExtraWorkList extraWork={job.extraWork} />
          </DescriptionItem>
        )}
        <DescriptionItem label="Special instructions">
          {job.specialInstructions ? <span className="whitespace-pre-line">{job.specialInstructions}</span> : 'None'}
        </DescriptionItem>
        {job.weatherConcerns && (
          <DescriptionItem label="Weather">
            <span className="whitespace-pre-line">{job.weatherConcerns}</span>
          </DescriptionItem>
        )}
        {photos && <DescriptionItem label="Required photos">{photos}</DescriptionItem>}
      </DescriptionList>
    </Card>
  )
}
