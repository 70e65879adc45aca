// Photo thumbnails with a full-size viewer.
import { useState } from 'react'
import { classNames } from '@/lib/class-names'
import { toBrowserUrl } from '@/lib/demo'
import { formatBytes } from '@/lib/format/number'
import { t } from '@/lib/i18n'
import { Button } from './button'
import { Dialog } from './dialog'

export type GalleryPhoto = {
  id: string
  url: string
  thumbUrl: string
  width?: number
  height?: number
  name?: string
  bytes?: number
}

/** `strip`: numbered, one line that scrolls. `row`: in a message bubble. */
type Layout = 'strip' | 'row'

const LISTS = {
  strip: 'flex gap-2 overflow-x-auto p-0.5 *:shrink-0',
  row: 'mb-1 flex flex-wrap gap-1.5',
} as const satisfies Record<Layout, string>
const THUMBS = { strip: 'size-24', row: 'size-28' } as const satisfies Record<Layout, string>

/** Accessible name. */
const photoName = (number: number) => t('Photo {number}', { number })

type PhotoGalleryProps = { photos: readonly GalleryPhoto[]; layout: Layout }

export function PhotoGallery({ photos, layout }: PhotoGalleryProps) {
  const [openIndex, setOpened] = useState<number>()
  const photo = openIndex === undefined ? undefined : photos[openIndex]
  const number = (openIndex ?? 0) + 1
  return (
    <>
      <ul className={LISTS[layout]}>
        {photos.map((each, index) => (
          <Thumb key={each.id} photo={each} number={index + 1} layout={layout} onOpen={() => setOpened(index)} />
        ))}
      </ul>
      <Dialog
        open={photo !== undefined}
        onClose={() => setOpened(undefined)}
        title={t('Photo {number} of {total}', { number, total: photos.length })}
        wide
        actions={
          photos.length > 1 && (
            <>
              <Button
                variant="secondary"
                icon="arrow-left"
                onClick={() => setOpened((number - 2 + photos.length) % photos.length)}
              >
                {t('Previous')}
              </Button>
              <Button variant="secondary" icon="arrow-right" onClick={() => setOpened(number % photos.length)}>
                {t('Next')}
              </Button>
            </>
          )
        }
      >
        {photo && <FullPhoto key={photo.id} photo={photo} number={number} />}
      </Dialog>
    </>
  )
}

type ThumbProps = { photo: GalleryPhoto; number: number; layout: Layout; onOpen: () => void }

function Thumb({ photo, number, layout, onOpen }: ThumbProps) {
  const [isMissing, setIsMissing] = useState(false)
  return (
    <li>
      <button
        type="button"
        aria-label={t('Open photo {number}', { number })}
        onClick={onOpen}
        className={classNames(
          'relative block overflow-hidden rounded-field border border-primary/30 bg-base-200',
          THUMBS[layout],
        )}
      >
        {isMissing ? (
          <span className="grid size-full place-items-center p-2 text-caption text-muted">
            {t('Photo {number} is not here', { number })}
          </span>
        ) : (
          <img
            src={toBrowserUrl(photo.thumbUrl)}
            alt={photoName(number)}
            loading="lazy"
            decoding="async"
            className="size-full object-cover"
            onError={() => setIsMissing(true)}
          />
        )}
        {layout === 'strip' && (
          <span
            aria-hidden="true"
            className="absolute bottom-1 left-1 grid size-6 place-items-center rounded-full bg-base-100 text-caption font-semibold"
          >
            {number}
          </span>
        )}
      </button>
    </li>
  )
}

function FullPhoto({ photo: { url, width, height, name, bytes }, number }: { photo: GalleryPhoto; number: number }) {
  const [isMissing, setIsMissing] = useState(false)
  const file = [name, bytes !== undefined && formatBytes(bytes)].filter(Boolean).join(', ')
  return (
    <figure>
      {isMissing ? (
        <p role="alert" className="py-8 text-center text-muted">
          {t('This photo could not be loaded. Photos need a connection.')}
        </p>
      ) : (
        <img
          src={toBrowserUrl(url)}
          alt={photoName(number)}
          width={width}
          height={height}
          className="mx-auto h-auto max-h-[70dvh] w-auto rounded-field"
          onError={() => setIsMissing(true)}
        />
      )}
      {file !== '' && <figcaption className="mt-2 text-center text-caption break-all text-muted">{file}</figcaption>}
    </figure>
  )
}
