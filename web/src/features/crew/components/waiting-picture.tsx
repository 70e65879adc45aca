// The picture of a photo that has not left this phone: on a canvas, because the content policy allows no blob: picture.
import { useEffect, useRef, useState } from 'react'
import { classNames } from '@/lib/class-names'
import type { Entry } from '@/offline/outbox/entry'
import { outbox } from '@/offline/outbox/outbox'
import { Icon } from '@/ui/icon'

const SIDE = 240

/** Draws the middle square. */
function drawCover(canvas: HTMLCanvasElement, bitmap: ImageBitmap): void {
  const side = Math.min(bitmap.width, bitmap.height)
  const [left, top] = [(bitmap.width - side) / 2, (bitmap.height - side) / 2]
  canvas.getContext('2d')?.drawImage(bitmap, left, top, side, side, 0, 0, SIDE, SIDE)
}

async function read(id: number, type: string): Promise<ImageBitmap | undefined> {
  const bytes = await outbox.photo(id)
  if (!bytes) return undefined
  try {
    return await createImageBitmap(new Blob([bytes], { type }))
  } catch {
    // A picture that cannot be drawn is sent all the same; the icon stands in its place.
    return undefined
  }
}

type WaitingPictureProps = { photo: Pick<Entry, 'id' | 'command'>; className?: string }

export function WaitingPicture({ photo: { id, command }, className }: WaitingPictureProps) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const [isDrawn, setIsDrawn] = useState(false)
  const type = command.kind === 'photo' ? command.type : ''
  useEffect(() => {
    let isGone = false
    const draw = async () => {
      const bitmap = await read(id, type)
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
        width={SIDE}
        height={SIDE}
        role="img"
        aria-label="Photo that waits to be sent"
        className="size-full"
        hidden={!isDrawn}
      />
      {!isDrawn && <Icon name="camera" className="size-7" />}
    </span>
  )
}
