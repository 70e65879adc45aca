// Job photos by moment, pending ones included, each open to annotation.
import { lazy, Suspense, useId, useState } from 'react'
import { FILE_MOMENTS, type FileMoment } from '@/domain/job'
import { classNames } from '@/lib/class-names'
import { toBrowserUrl } from '@/lib/demo'
import { t } from '@/lib/i18n'
import { outbox } from '@/offline/outbox/outbox'
import { useJobOutboxEntries } from '@/offline/outbox/use-outbox'
import { Badge } from '@/ui/badge'
import { Card } from '@/ui/card'
import { Icon, type IconName } from '@/ui/icon'
import { PhotoViewer } from '@/features/jobs/files/photo-viewer'
import type { AutomatedFile, JobDetail } from '@/features/jobs/types'
import { placeCopiesAfterOriginals } from '@/features/jobs/lib/photo-groups'
import { useEnqueuePhotoCopy, type PendingPhoto } from '../lib/use-enqueue-photo-copy'
import { missingPhotos } from '../lib/steps'
import { crewMessages as texts } from '../messages'
import { PhotoCapture } from './photo-capture'
import { PendingPhotoThumb } from './pending-photo-thumb'

const AnnotateDialog = lazy(async () => ({
  default: (await import('@/features/jobs/annotate/annotate-dialog')).AnnotateDialog,
}))

const MOMENTS = ['before', 'during', 'after'] as const satisfies readonly FileMoment[]
const MAX_CAPTION = 200
const TILE =
  'relative grid aspect-square w-full place-items-center overflow-hidden rounded-field border bg-base-200 text-muted'

export function PhotosSection({ job }: { job: JobDetail }) {
  const entries = useJobOutboxEntries(job.id)
  const [openedId, setOpenedId] = useState<string>()
  const [drawn, setDrawn] = useState<PendingPhoto>()
  const keepCopy = useEnqueuePhotoCopy(job)
  const captionId = useId()
  const [caption, setCaption] = useState('')
  const placed = placeCopiesAfterOriginals(job.files.filter(({ type }) => type === 'photo'))
  const photosOf = (wanted: FileMoment | undefined) =>
    placed.flatMap(({ photo, original }) => ((original.moment ?? undefined) === wanted ? [photo] : []))
  const missing = missingPhotos(job, entries)
  const ofRequest = photosOf(undefined)
  return (
    <Card title={t('Photos')} icon="camera">
      <div className="grid gap-5">
        <div className="grid gap-1.5">
          <label htmlFor={captionId} className="font-semibold">
            {t('What the next photos show')}
            <span className="font-normal text-muted"> {t('(optional)')}</span>
          </label>
          <input
            id={captionId}
            className="input"
            maxLength={MAX_CAPTION}
            autoComplete="off"
            value={caption}
            onChange={(event) => setCaption(event.target.value)}
          />
        </div>
        {MOMENTS.map((moment) => (
          <section key={moment} aria-label={FILE_MOMENTS[moment]} className="grid gap-2">
            <h3 className="flex flex-wrap items-center justify-between gap-2 font-semibold">
              {FILE_MOMENTS[moment]}
              {missing.includes(moment) && (
                <Badge tone="warning" icon="camera">
                  {t('Required')}
                </Badge>
              )}
            </h3>
            <PhotoTiles
              photos={photosOf(moment)}
              pending={entries.flatMap(({ id, refusal, command }) =>
                command.kind === 'photo' && command.moment === moment ? [{ id, refusal, command }] : [],
              )}
              onOpen={setOpenedId}
              onDraw={setDrawn}
            />
            <PhotoCapture job={job} moment={moment} caption={caption.trim()} onTaken={() => setCaption('')} />
          </section>
        ))}
        {ofRequest.length > 0 && (
          <section aria-label={t('From the request')} className="grid gap-2">
            <h3 className="font-semibold">{t('From the request')}</h3>
            <PhotoTiles photos={ofRequest} pending={[]} onOpen={setOpenedId} onDraw={setDrawn} />
          </section>
        )}
      </div>
      <PhotoViewer
        photos={placed.map(({ photo }) => photo)}
        openedId={openedId}
        onOpen={setOpenedId}
        onSaveCopy={keepCopy.ofArrived}
      />
      {drawn && (
        <Suspense fallback={null}>
          <AnnotateDialog
            source={{ id: `waiting-${drawn.id}`, name: drawn.command.name, load: () => readPhotoBlob(drawn) }}
            onClose={() => setDrawn(undefined)}
            onSave={(file) => keepCopy.ofWaiting(drawn, file)}
          />
        </Suspense>
      )}
    </Card>
  )
}

/** The bytes of a photo that was sent since are gone and are not read as a picture. */
async function readPhotoBlob({ id, command }: PendingPhoto): Promise<Blob> {
  return new Blob([(await outbox.photo(id)) ?? new ArrayBuffer(0)], { type: command.type })
}

type TilesProps = {
  photos: readonly AutomatedFile[]
  pending: readonly PendingPhoto[]
  onOpen: (id: string) => void
  onDraw: (photo: PendingPhoto) => void
}

function PhotoTiles({ photos, pending, onOpen, onDraw }: TilesProps) {
  if (photos.length + pending.length === 0) return null
  return (
    <ul className="grid grid-cols-3 gap-2 sm:grid-cols-5">
      {pending.map((photo, index) => (
        <PendingTile key={`waiting-${photo.id}`} photo={photo} number={index + 1} onDraw={() => onDraw(photo)} />
      ))}
      {photos.map((photo, index) => (
        <PhotoTile key={photo.id} photo={photo} number={index + 1} onOpen={() => onOpen(photo.id)} />
      ))}
    </ul>
  )
}

/** What is to be known of a photo, along its lower edge. */
function PhotoStrip({ icon, className, children }: { icon: IconName; className: string; children: string }) {
  return (
    <span
      className={classNames(
        'absolute inset-x-0 bottom-0 flex items-center justify-center gap-1 bg-base-100 py-0.5 text-caption font-semibold',
        className,
      )}
    >
      <Icon name={icon} className="size-3.5" />
      {children}
    </span>
  )
}

function PendingTile({ photo, number, onDraw }: { photo: PendingPhoto; number: number; onDraw: () => void }) {
  const isRefused = photo.refusal !== null
  const values = { number, name: photo.command.name }
  return (
    <li>
      <button
        type="button"
        aria-label={
          isRefused
            ? t('Draw on photo {number}, not sent, {name}', values)
            : t('Draw on photo {number}, waiting, {name}', values)
        }
        onClick={onDraw}
        className={classNames(TILE, isRefused ? 'border-error' : 'border-warning')}
      >
        <PendingPhotoThumb photo={photo} className="size-full" />
        <PhotoStrip icon={isRefused ? 'alert' : 'clock'} className={isRefused ? 'text-error' : 'text-warning'}>
          {isRefused ? texts.refused : t('Waiting')}
        </PhotoStrip>
      </button>
    </li>
  )
}

function PhotoTile({
  photo: { thumbUrl, name, madeFrom },
  number,
  onOpen,
}: {
  photo: AutomatedFile
  number: number
  onOpen: () => void
}) {
  const [isMissing, setIsMissing] = useState(false)
  return (
    <li>
      <button
        type="button"
        aria-label={[t('Open photo {number}', { number }), madeFrom && t('marked'), name].filter(Boolean).join(', ')}
        onClick={onOpen}
        className={classNames(TILE, 'border-primary/30')}
      >
        {thumbUrl && !isMissing ? (
          <img
            src={toBrowserUrl(thumbUrl)}
            alt=""
            loading="lazy"
            decoding="async"
            className="size-full object-cover"
            onError={() => setIsMissing(true)}
          />
        ) : (
          <Icon name="camera" className="size-7" />
        )}
        {madeFrom && (
          <PhotoStrip icon="pencil" className="text-info">
            {t('Marked')}
          </PhotoStrip>
        )}
      </button>
    </li>
  )
}
