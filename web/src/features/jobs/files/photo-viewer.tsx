// A job's photo in full size, with the way to the next.
import { useState } from 'react'
import { Button } from '@/ui/button'
import { Dialog } from '@/ui/dialog'
import { jobsMessages as texts } from '../messages'
import type { AutomatedFile } from '../types'

type PhotoViewerProps = { photos: readonly AutomatedFile[]; openedId: string | undefined; onOpen: (id: string | undefined) => void }

export function PhotoViewer({ photos, openedId, onOpen }: PhotoViewerProps) {
  const at = photos.findIndex(({ id }) => id === openedId)
  const photo = photos[at]
  const goBy = (steps: number) => onOpen(photos[(at + steps + photos.length) % photos.length]?.id)
  return (
    <Dialog
      open={photo !== undefined}
      onClose={() => onOpen(undefined)}
      title={`Photo ${at + 1} of ${photos.length}`}
      wide
      actions={photos.length > 1 && (
        <>
          <Button variant="secondary" icon="arrow-left" onClick={() => goBy(-1)}>Previous</Button>
          <Button variant="secondary" icon="arrow-right" onClick={() => goBy(1)}>Next</Button>
        </>
      )}
    >
      {photo && <FullPhoto key={photo.id} photo={photo} />}
    </Dialog>
  )
}

function FullPhoto({ photo: { url, name, caption } }: { photo: AutomatedFile }) {
  const [isMissing, setIsMissing] = useState(false)
  return (
    <figure>
      {isMissing
        ? <p role="alert" className="py-8 text-center text-muted">{texts.files.missing}</p>
        : <img src={url} alt={caption || name} className="mx-auto h-auto max-h-[70dvh] w-auto rounded-field" onError={() => setIsMissing(true)} />}
      <figcaption className="mt-2 text-center text-caption break-all text-muted">{[name, caption].filter(Boolean).join(', ')}</figcaption>
    </figure>
  )
}
