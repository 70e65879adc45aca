// Camera and file input; photos are compressed and stored at once.
import { useRef, useState } from 'react'
import { FILE_MOMENTS, type FileMoment } from '@/domain/job'
import { plural, t } from '@/lib/i18n'
import { Button } from '@/ui/button'
import { Spinner } from '@/ui/spinner'
import { StatusLine } from '@/ui/status-line'
import { ACCEPTED_TYPES, prepareFile } from '@/features/jobs/lib/file-rules'
import type { JobDetail } from '@/features/jobs/types'
import { useRunCommand } from '../lib/use-run-command'

type PhotoCaptureProps = {
  job: Pick<JobDetail, 'id' | 'number' | 'customerName'>
  moment: FileMoment
  /** What the photos show. */ caption?: string
  onTaken?: () => void
}

/** When it was taken, as the phone says; some say nothing. */
const takenAt = ({ lastModified }: File) => new Date(Math.min(lastModified || Date.now(), Date.now())).toISOString()

function usePhotoCapture({ job, moment, caption = '', onTaken }: PhotoCaptureProps) {
  const act = useRunCommand(job)
  const [preparing, setPreparing] = useState(0)
  const [refused, setRefused] = useState<readonly string[]>([])

  async function take(files: readonly File[]): Promise<void> {
    setRefused([])
    setPreparing((count) => count + files.length)
    for (const file of files) {
      /* oxlint-disable no-await-in-loop -- a small phone has no memory for many large photos at once */
      const prepared = await prepareFile(file, 'photo')
      if ('refused' in prepared) setRefused((sentences) => [...sentences, prepared.refused])
      else {
        const { name, type } = prepared.file
        await act(
          { kind: 'photo', moment, name, type, takenAt: takenAt(file), ...(caption === '' ? {} : { caption }) },
          await prepared.file.arrayBuffer(),
        )
      }
      /* oxlint-enable no-await-in-loop */
      setPreparing((count) => count - 1)
    }
    onTaken?.()
  }

  return { preparing, refused, take }
}

export function PhotoCapture(props: PhotoCaptureProps) {
  const { moment } = props
  const camera = useRef<HTMLInputElement>(null)
  const album = useRef<HTMLInputElement>(null)
  const { preparing, refused, take } = usePhotoCapture(props)
  const when = FILE_MOMENTS[moment].toLowerCase()
  const chosen = (element: HTMLInputElement) => {
    void take(Array.from(element.files ?? []))
    // The same photo may be chosen again.
    element.value = ''
  }
  return (
    <div className="grid gap-2">
      {/* The buttons below are the only ones that people and their readers meet: these do their work. */}
      <input
        ref={camera}
        type="file"
        accept="image/*"
        capture="environment"
        multiple
        hidden
        data-moment={moment}
        onChange={(event) => chosen(event.currentTarget)}
      />
      <input
        ref={album}
        type="file"
        accept={ACCEPTED_TYPES.photo}
        multiple
        hidden
        onChange={(event) => chosen(event.currentTarget)}
      />
      <div className="grid grid-cols-2 gap-2">
        <Button
          icon="camera"
          variant="secondary"
          className="min-h-14!"
          aria-label={t('Camera, {when}', { when })}
          onClick={() => camera.current?.click()}
        >
          {t('Camera')}
        </Button>
        <Button
          icon="plus"
          variant="secondary"
          className="min-h-14!"
          aria-label={t('Choose photos, {when}', { when })}
          onClick={() => album.current?.click()}
        >
          {t('Choose')}
        </Button>
      </div>
      {preparing > 0 && (
        <p role="status" className="flex items-center gap-2 text-note text-info">
          <Spinner size="small" />
          {plural(preparing, 'Making the photo ready...', 'Making {count} photos ready...')}
        </p>
      )}
      {refused.map((sentence) => (
        <div key={sentence} role="alert">
          <StatusLine tone="error" icon="alert">
            {sentence}
          </StatusLine>
        </div>
      ))}
    </div>
  )
}
