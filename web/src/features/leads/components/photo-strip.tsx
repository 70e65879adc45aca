// The customer's photos as numbered thumbnails; each opens in full size.
import { useState } from 'react'
import type { Schema } from '@/api/client'
import { formatBytes } from '@/lib/format/number'
import { Button } from '@/ui/button'
import { Dialog } from '@/ui/dialog'

type Photo = Schema['Photo']

/** What a photo is called when it is not seen: customers do not name theirs. */
const photoName = (number: number) => `Photo ${number}`

export function PhotoStrip({ photos }: { photos: readonly Photo[] }) {
  const [opened, setOpened] = useState<number>()
  const photo = opened === undefined ? undefined : photos[opened]
  const number = (opened ?? 0) + 1
  return (
    <div>
      <h3 className="mb-2 text-note font-semibold text-muted">Photos ({photos.length})</h3>
      <ul className="grid grid-cols-3 gap-2 sm:grid-cols-5">
        {photos.map((each, index) => <Thumb key={each.id} photo={each} number={index + 1} onOpen={() => setOpened(index)} />)}
      </ul>
      <Dialog
        open={photo !== undefined}
        onClose={() => setOpened(undefined)}
        title={`Photo ${number} of ${photos.length}`}
        wide
        actions={photos.length > 1 && (
          <>
            <Button variant="secondary" icon="arrow-left" onClick={() => setOpened((number - 2 + photos.length) % photos.length)}>Previous</Button>
            <Button variant="secondary" icon="arrow-right" onClick={() => setOpened(number % photos.length)}>Next</Button>
          </>
        )}
      >
        {photo && <FullPhoto key={photo.id} photo={photo} number={number} />}
      </Dialog>
    </div>
  )
}

function Thumb({ photo, number, onOpen }: { photo: Photo; number: number; onOpen: () => void }) {
  const [isMissing, setIsMissing] = useState(false)
  return (
    <li>
      <button type="button" onClick={onOpen} className="relative block aspect-square w-full overflow-hidden rounded-field border border-primary/30 bg-base-200">
        {isMissing
          ? <span className="grid size-full place-items-center p-2 text-caption text-muted">Photo {number} is not here</span>
          : <img src={photo.thumbUrl} alt={photoName(number)} loading="lazy" decoding="async" className="size-full object-cover" onError={() => setIsMissing(true)} />}
        <span aria-hidden="true" className="absolute bottom-1 left-1 grid size-6 place-items-center rounded-full bg-base-100 text-caption font-semibold">{number}</span>
      </button>
    </li>
  )
}

function FullPhoto({ photo, number }: { photo: Photo; number: number }) {
  const [isMissing, setIsMissing] = useState(false)
  return (
    <figure>
      {isMissing
        ? <p role="alert" className="py-8 text-center text-muted">This photo could not be loaded. Photos need a connection.</p>
        : <img src={photo.url} alt={photoName(number)} width={photo.width} height={photo.height} className="mx-auto h-auto max-h-[70dvh] w-auto rounded-field" onError={() => setIsMissing(true)} />}
      <figcaption className="mt-2 text-center text-caption break-all text-muted">{photo.name}, {formatBytes(photo.bytes)}</figcaption>
    </figure>
  )
}
