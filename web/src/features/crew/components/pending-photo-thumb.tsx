// Thumbnail of a pending photo, on a canvas because the content policy forbids blob: images.
import { useEffect, useRef, useState } from 'react'
import { classNames } from '@/lib/class-names'
import { t } from '@/lib/i18n'
import type { OutboxEntry } from '@/offline/outbox/entry'
import { outbox } from '@/offline/outbox/outbox'
import { Icon } from '@/ui/icon'

const THUMB_SIZE = 240

/** Draws the middle square. */
function drawCover(canvas: HTMLCanvasElement, bitmap: ImageBitmap): void {
  const side = Math.min(bitmap.width, bitmap.height)
  const [left, top] = [(bitmap.width - side) / 2, (bitmap.height - side) / 2]
  canvas.getContext('2d')?.drawImage(bitmap, left, top, side, side, 0, 0, THUMB_SIZE, THUMB_SIZE)
}

async function readBitmap(id: number, type: string): Promise<ImageBitmap | undefined> {
  const bytes = await outbox.photo(id)
  if (!bytes) return undefined
  try {
    return await createImageBitmap(new Blob([bytes], { type }))
  } catch {
    // An undecodable picture is sent anyway; an icon replaces its thumbnail.
    return undefined
  }
}

type PendingPhotoThumbProps = { photo: Pick<OutboxEntry, 'id' | 'command'>; className?: string }

export function PendingPhotoThumb({ photo: { id, command }, className }: PendingPhotoThumbProps) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const [isDrawn, setIsDrawn] = useState(false)
  const type = command.kind === 'photo' ? command.type : ''
  useEffect(() => {
    let isGone = false
    const draw = async () => {
      const bitmap = await readBitmap(id, type)
      if (bitmap && canvas.current && !isGone) {
        drawCover(canvas.current, bitmap)
        setIsDrawn(true)
      }
      bitmap?.close()
    }
    void draw()
    return () => {
      isGone = true
    }
  }, [id, type])
  return (
    <span className={classNames('relative grid place-items-center overflow-hidden', className)}>
      <canvas
        ref={canvas}
        width={THUMB_SIZE}
        height={THUMB_SIZE}
        role="img"
        aria-label={t('Photo that waits to be sent')}
        className="size-full"
        hidden={!isDrawn}
      />
      {!isDrawn && <Icon name="camera" className="size-7" />}
    </span>
  )
}
