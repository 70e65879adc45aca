// Who goes, for how long, with what, and what they must know.
import { UNASSIGNED } from '@/domain/job'
import { formatDuration } from '@/lib/format/duration'
import { Card } from '@/ui/card'
import { Fact, Facts } from '@/ui/facts'
import type { JobDetail } from '../types'
import { ExtraWorkList } from './extra-work'

const PHOTOS_WANTED = {
  none: undefined,
  after: 'After the work',
  before_and_after: 'Before and after the work',
} as const satisfies Record<JobDetail['requiredPhotos'], string | undefined>

export function WorkCard({ job }: { job: JobDetail }) {
  const photos = PHOTOS_WANTED[job.requiredPhotos]
  return (
    <Card title="The Work" icon="wrench">
      <Facts>
        <Fact label="Crew">{job.crewAssigned || UNASSIGNED}</Fact>
        <Fact label="Estimated duration">{formatDuration(job.estimatedDuration)}</Fact>
        <Fact label="Materials">
          {job.materialsNeeded.length === 0 ? (
            'None listed'
          ) : (
            <ul className="grid list-disc gap-1 pl-4 marker:text-primary">
              {job.materialsNeeded.map((material) => (
                <li key={material}>{material}</li>
              ))}
            </ul>
          )}
        </Fact>
        {job.extraWork.length > 0 && (
          <Fact label="Extra work">
            <ExtraWorkList extraWork={job.extraWork} />
          </Fact>
        )}
        <Fact label="Special instructions">
          {job.specialInstructions ? <span className="whitespace-pre-line">{job.specialInstructions}</span> : 'None'}
        </Fact>
        {job.weatherConcerns && (
          <Fact label="Weather">
            <span className="whitespace-pre-line">{job.weatherConcerns}</span>
          </Fact>
        )}
        {photos && <Fact label="Required photos">{photos}</Fact>}
      </Facts>
    </Card>
  )
}
