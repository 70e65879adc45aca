import { useEffect, useRef } from 'react'
import { classNames } from '@/lib/class-names'
import { Icon } from '@/ui/icon'
import type { LeadPhoto } from '../lib/use-photos'

const SIDE = 192

type PhotoThumbProps = { photo: LeadPhoto; position: number; isRefused: boolean; onRemove: () => void }

/** Draws the middle square of the picture: a canvas, because the content policy allows no blob: picture. */
function drawCover(canvas: HTMLCanvasElement, bitmap: ImageBitmap): void {
  const side = Math.min(bitmap.width, bitmap.height)
  const left = (bitmap.width - side) / 2
  const top = (bitmap.height - side) / 2
  canvas.getContext('2d')?.drawImage(bitmap, left, top, side, side, 0, 0, SIDE, SIDE)
}

export function PhotoThumb({ photo, position, isRefused, onRemove }: PhotoThumbProps) {
  const canvas = useRef<HTMLCanvasElement>(null)
  useEffect(() => {
    if (canvas.current) drawCover(canvas.current, photo.bitmap)
  }, [photo.bitmap])
  return (
    <li className="relative min-w-0">
      <canvas
        ref={canvas}
        width={SIDE}
        height={SIDE}
        role="img"
        aria-label={`Photo ${position}: ${photo.name}`}
        className={classNames(
          'aspect-square w-full rounded-field border',
          isRefused ? 'border-error' : 'border-primary/30',
        )}
      />
      <button
        type="button"
        aria-label={`Remove ${photo.name}`}
        title={`Remove ${photo.name}`}
        className="absolute top-0 right-0 grid size-12 place-items-center rounded-field"
        onClick={onRemove}
      >
        <span className="grid size-8 place-items-center rounded-full border border-primary/30 bg-base-200 text-base-content">
          <Icon name="close" className="size-4" />
        </span>
      </button>
      <p className={classNames('mt-1 truncate text-caption', isRefused ? 'text-error' : 'text-muted')}>{photo.name}</p>
    </li>
  )
}
