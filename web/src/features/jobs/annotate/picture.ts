// Photo decoding, rendering with marks, and encoding.
import { toBrowserUrl } from '@/lib/demo'
import { fitWithin, MAX_PHOTO_SIDE } from '@/lib/image-compress'
import { drawAnnotation, type Annotation } from './marks'

const QUALITY = 0.85

/** The photo could not be had: no network, or not a picture this browser reads. */
export class PictureUnavailableError extends Error {
  override name = 'NoPicture'
}

/** What was looked at once is kept by the browser, and is there without a network too. */
export async function fetchPicture(url: string): Promise<Blob> {
  try {
    const answer = await fetch(toBrowserUrl(url), { credentials: 'same-origin', cache: 'force-cache' })
    if (answer.ok) return await answer.blob()
  } catch (cause) {
    throw new PictureUnavailableError('The photo did not arrive', { cause })
  }
  throw new PictureUnavailableError('The photo is not there')
}

export async function decodePicture(load: () => Promise<Blob>): Promise<ImageBitmap> {
  const bytes = await load()
  try {
    return await createImageBitmap(bytes, { imageOrientation: 'from-image' })
  } catch (cause) {
    throw new PictureUnavailableError('The file cannot be read as a picture', { cause })
  }
}

export const getOutputSize = ({ width, height }: ImageBitmap) => fitWithin(width, height, MAX_PHOTO_SIDE)

/** The photo with all marks on it. */
export function renderAnnotations(canvas: HTMLCanvasElement, bitmap: ImageBitmap, marks: readonly Annotation[]): void {
  const context = canvas.getContext('2d')
  if (!context) throw new Error('This browser has no 2d canvas')
  context.drawImage(bitmap, 0, 0, canvas.width, canvas.height)
  for (const mark of marks) drawAnnotation(context, mark, canvas)
}

/** The new photo; the original stays as it is. */
export async function encodePicture(bitmap: ImageBitmap, marks: readonly Annotation[], name: string): Promise<File> {
  const canvas = Object.assign(document.createElement('canvas'), getOutputSize(bitmap))
  renderAnnotations(canvas, bitmap, marks)
  const blob = await new Promise<Blob>((resolve, reject) => {
    canvas.toBlob(
      (written) => (written ? resolve(written) : reject(new Error('The picture could not be written as JPEG'))),
      'image/jpeg',
      QUALITY,
    )
  })
  return new File([blob], name, { type: 'image/jpeg' })
}
