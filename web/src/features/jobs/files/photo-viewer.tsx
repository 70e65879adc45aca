import { lazy, Suspense, useState } from 'react'
import { toBrowserUrl } from '@/lib/demo'
import { t } from '@/lib/i18n'
import { Button, IconButton } from '@/ui/button'
import { Dialog } from '@/ui/dialog'
import { jobsMessages as texts } from '../messages'
import type { AutomatedFile } from '../types'

const AnnotateDialog = lazy(async () => ({ default: (await import('../annotate/annotate-dialog')).AnnotateDialog }))

type PhotoViewerProps = {
  photos: readonly AutomatedFile[]
  openedId: string | undefined
  onOpen: (id: string | undefined) => void
  /** Saves a copy that was drawn on; gives why it was not saved. */ onSaveCopy: SavePhotoCopy
}
export type SavePhotoCopy = (original: AutomatedFile, file: File) => Promise<string | undefined>

export function PhotoViewer({ photos, openedId, onOpen, onSaveCopy }: PhotoViewerProps) {
  const [drawn, setDrawn] = useState<AutomatedFile>()
  const at = photos.findIndex(({ id }) => id === openedId)
  const photo = photos[at]
  const goBy = (steps: number) => onOpen(photos[(at + steps + photos.length) % photos.length]?.id)
  return (
    <>
      <Dialog
        open={photo !== undefined}
        onClose={() => onOpen(undefined)}
        title={t('Photo {number} of {total}', { number: at + 1, total: photos.length })}
        wide
        actions={
          photo && (
            <>
              <Button variant="secondary" icon="pencil" className="mr-auto" onClick={() => setDrawn(photo)}>
                {t('Draw on it')}
              </Button>
              {photos.length > 1 && <IconButton label={t('Previous')} icon="arrow-left" onClick={() => goBy(-1)} />}
              {photos.length > 1 && <IconButton label={t('Next')} icon="arrow-right" onClick={() => goBy(1)} />}
            </>
          )
        }
      >
        {photo && <FullPhoto key={photo.id} photo={photo} />}
      </Dialog>
      {drawn && (
        <Suspense fallback={null}>
          <AnnotateDialog
            source={{ id: drawn.id, name: drawn.name, url: drawn.url }}
            onClose={() => setDrawn(undefined)}
            onSave={(file) => onSaveCopy(drawn, file)}
          />
        </Suspense>
      )}
    </>
  )
}

function FullPhoto({ photo: { url, name, caption } }: { photo: AutomatedFile }) {
  const [isMissing, setIsMissing] = useState(false)
  return (
    <figure>
      {isMissing ? (
        <p role="alert" className="py-8 text-center text-muted">
          {texts.files.missing}
        </p>
      ) : (
        <img
          src={toBrowserUrl(url)}
          alt={caption || name}
          className="mx-auto h-auto max-h-[70dvh] w-auto rounded-field"
          onError={() => setIsMissing(true)}
        />
      )}
      <figcaption className="mt-2 text-center text-caption break-all text-muted">
        {[name, caption].filter(Boolean).join(', ')}
      </figcaption>
    </figure>
  )
}
