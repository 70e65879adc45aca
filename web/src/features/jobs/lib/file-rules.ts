// Checks and preparation of chosen files.
import { MAX_DOCUMENT_BYTES, MAX_FILES } from '@/domain/job'
import { MAX_PHOTO_BYTES } from '@/domain/lead'
import { t } from '@/lib/i18n'
import { compressImage, UnreadableImageError } from '@/lib/image-compress'
import type { AutomatedFile } from '../types'

export type FileKind = AutomatedFile['type']
export type PreparedFile = { file: File } | { refused: string }

export const ACCEPTED_TYPES = {
  photo: 'image/png,image/jpeg,image/webp',
  document: 'application/pdf',
} as const satisfies Record<FileKind, string>

async function preparePhoto(file: File): Promise<PreparedFile> {
  if (!file.type.startsWith('image/'))
    return { refused: t('{name} is not an image. Please choose PNG or JPG.', { name: file.name }) }
  try {
    const { file: small, bitmap } = await compressImage(file, MAX_PHOTO_BYTES)
    bitmap.close()
    return small.size > MAX_PHOTO_BYTES
      ? { refused: t('{name} is larger than 5MB. Please choose a smaller one.', { name: file.name }) }
      : { file: small }
  } catch (error) {
    if (error instanceof UnreadableImageError)
      return { refused: t('{name} cannot be read as a picture. Please choose PNG or JPG.', { name: file.name }) }
    throw error
  }
}

function prepareDocument(file: File): PreparedFile {
  if (file.type !== 'application/pdf')
    return { refused: t('{name} is not a PDF. Documents are PDF files.', { name: file.name }) }
  return file.size > MAX_DOCUMENT_BYTES
    ? { refused: t('{name} is larger than 10MB. Please choose a smaller one.', { name: file.name }) }
    : { file }
}

/** A photo is made small enough to send; a document goes as it is. */
export function prepareFile(file: File, kind: FileKind): Promise<PreparedFile> {
  return kind === 'photo' ? preparePhoto(file) : Promise.resolve(prepareDocument(file))
}

/** As many files to a request as the server takes at once. */
export function splitIntoBatches(files: readonly File[]): File[][] {
  const batches: File[][] = []
  for (let at = 0; at < files.length; at += MAX_FILES) batches.push(files.slice(at, at + MAX_FILES))
  return batches
}
