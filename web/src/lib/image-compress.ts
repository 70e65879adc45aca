// Photo compression: at most 2048 px, JPEG, without location metadata.

export const MAX_PHOTO_SIDE = 2048
const QUALITIES = [0.85, 0.7, 0.5] as const
const KEPT_TYPES: ReadonlySet<string> = new Set(['image/jpeg', 'image/png'])
/** Smaller pictures stay unchanged. */
const SMALL_BYTES = 1024 * 1024

export class UnreadableImageError extends Error {
  constructor(cause: unknown) {
    super('The file cannot be read as a picture', { cause })
    this.name = 'UnreadableImageError'
  }
}

/** Never enlarged. */
export function fitWithin(width: number, height: number, max: number): { width: number; height: number } {
  const scale = Math.min(1, max / Math.max(width, height))
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) }
}

async function decode(file: Blob): Promise<ImageBitmap> {
  try {
    return await createImageBitmap(file, { imageOrientation: 'from-image' })
  } catch (cause) {
    throw new UnreadableImageError(cause)
  }
}

function draw(bitmap: ImageBitmap): HTMLCanvasElement {
  const canvas = document.createElement('canvas')
  Object.assign(canvas, fitWithin(bitmap.width, bitmap.height, MAX_PHOTO_SIDE))
  const context = canvas.getContext('2d')
  if (!context) throw new Error('This browser has no 2d canvas')
  // JPEG has no transparency: white instead of black.
  context.fillStyle = 'white'
  context.fillRect(0, 0, canvas.width, canvas.height)
  context.drawImage(bitmap, 0, 0, canvas.width, canvas.height)
  return canvas
}

function toJpeg(canvas: HTMLCanvasElement, quality: number): Promise<Blob> {
  return new Promise((resolve, reject) => {
    canvas.toBlob(
      (blob) => (blob ? resolve(blob) : reject(new Error('The picture could not be written as JPEG'))),
      'image/jpeg',
      quality,
    )
  })
}

/** File of at most `maxBytes` where quality allows, and a bitmap for the thumbnail. */
export async function compressImage(file: File, maxBytes: number): Promise<{ file: File; bitmap: ImageBitmap }> {
  const bitmap = await decode(file)
  const isSmall = file.size <= SMALL_BYTES && Math.max(bitmap.width, bitmap.height) <= MAX_PHOTO_SIDE
  if (isSmall && KEPT_TYPES.has(file.type)) return { file, bitmap }
  const canvas = draw(bitmap)
  let blob = await toJpeg(canvas, QUALITIES[0])
  for (const quality of QUALITIES.slice(1)) {
    if (blob.size <= maxBytes) break
    // oxlint-disable-next-line no-await-in-loop -- each try depends on the one before
    blob = await toJpeg(canvas, quality)
  }
  return { file: new File([blob], file.name, { type: 'image/jpeg' }), bitmap }
}
