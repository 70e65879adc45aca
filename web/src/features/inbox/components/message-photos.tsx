// Pictures that came with a message: small ones in the bubble, each opens large.
import { useState } from 'react'
import { Button } from '@/ui/button'
import { Dialog } from '@/ui/dialog'
import type { MessagePhoto } from '../types'

/** What a picture is called when it is not seen: nobody names theirs. */
const photoName = (number: number) => `Photo ${number}`

export function MessagePhotos({ photos }: { photos: readonly MessagePhoto[] }) {
  const [opened, setOpened] = useState<number>()
  const photo = opened === undefined ? undefined : photos[opened]
  const number = (opened ?? 0) + 1
  return (
    <>
      <ul className="mb-1 flex flex-wrap gap-1.5">
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
        {photo && <Large key={photo.id} photo={photo} number={number} />}
      </Dialog>
    </>
  )
}

function Thumb({ photo, number, onOpen }: { photo: MessagePhoto; number: number; onOpen: () => void }) {
  const [isMissing, setIsMissing] = useState(false)
  const name = photoName(number)
  return (
    <li>
      <button type="button" onClick={onOpen} aria-label={`Open photo ${number}`} className="block size-28 overflow-hidden rounded-field border border-primary/30 bg-base-200 text-caption text-muted">
        {isMissing ? name : <img src={photo.thumbUrl} alt={name} loading="lazy" decoding="async" className="size-full object-cover" onError={() => setIsMissing(true)} />}
      </button>
    </li>
  )
}

function Large({ photo, number }: { photo: MessagePhoto; number: number }) {
  const [isMissing, setIsMissing] = useState(false)
  if (isMissing) return <p role="alert" className="py-8 text-center text-muted">This photo could not be loaded. Photos need a connection.</p>
  return <img src={photo.url} alt={photoName(number)} className="mx-auto h-auto max-h-[70dvh] w-auto rounded-field" onError={() => setIsMissing(true)} />
}
