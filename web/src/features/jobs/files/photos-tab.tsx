import { useState } from 'react'
import { FILE_MOMENTS, type FileMoment } from '@/domain/job'
import { t } from '@/lib/i18n'
import type { AutomatedFile, JobDetail } from '../types'
import { useSavePhotoCopy } from '../annotate/use-save-photo-copy'
import { groupPhotos } from '../lib/photo-groups'
import { AddFiles } from './add-files'
import { DownloadAll } from './download-all'
import { FileRow } from './file-row'
import { PhotoViewer } from './photo-viewer'

type PhotosTabProps = { job: JobDetail; photos: readonly AutomatedFile[]; timeZone: string }

const STATUS_MOMENTS = {
  Scheduled: 'before',
  'In Progress': 'during',
  Completed: 'after',
  Cancelled: 'before',
} as const satisfies Record<JobDetail['status'], FileMoment>

export function PhotosTab({ job, photos, timeZone }: PhotosTabProps) {
  const groups = groupPhotos(photos)
  const inOrder = groups.flatMap((group) => group.photos)
  const [openedId, setOpenedId] = useState<string>()
  const [moment, setMoment] = useState<FileMoment>(STATUS_MOMENTS[job.status])
  const saveCopy = useSavePhotoCopy(job.id, STATUS_MOMENTS[job.status])
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
      <AddFiles jobId={job.id} kind="photo" about={{ moment }}>
        <label className="flex items-center gap-2 text-note">
          <span className="text-muted">{t('Taken')}</span>
          <select
            className="select w-auto! pr-9!"
            value={moment}
            onChange={(event) => setMoment(event.target.value as FileMoment)}
          >
            {Object.entries(FILE_MOMENTS).map(([value, label]) => (
              <option key={value} value={value}>
                {label.toLowerCase()}
              </option>
            ))}
          </select>
        </label>
      </AddFiles>
      {photos.length === 0 && (
        <p className="text-muted">{t('No photos yet. Photos of the request and of the work appear here.')}</p>
      )}
      {groups.map(({ name, photos: shown }) => (
        <section key={name} aria-label={name} className="grid gap-2">
          <h3 className="text-note font-semibold text-muted">
            {name} ({shown.length})
          </h3>
          <ul className="grid gap-2">
            {shown.map((photo) => (
              <FileRow
                key={photo.id}
                jobId={job.id}
                file={photo}
                timeZone={timeZone}
                onView={() => setOpenedId(photo.id)}
                isBeside={shown.some(({ id }) => id === photo.madeFrom)}
              />
            ))}
          </ul>
        </section>
      ))}
      {photos.length > 0 && <DownloadAll jobId={job.id} type="photo" />}
      <PhotoViewer photos={inOrder} openedId={openedId} onOpen={setOpenedId} onSaveCopy={saveCopy} />
    </div>
  )
}
