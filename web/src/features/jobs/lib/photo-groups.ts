// Photos grouped by moment, copies after their originals.
import { FILE_MOMENTS } from '@/domain/job'
import { t } from '@/lib/i18n'
import type { AutomatedFile } from '../types'

const GROUPS = [
  {
    name: t('From the request'),
    has: ({ automationTool, moment }: AutomatedFile) => !moment && automationTool === 'lead_intake',
  },
  { name: FILE_MOMENTS.before, has: ({ moment }: AutomatedFile) => moment === 'before' },
  { name: FILE_MOMENTS.during, has: ({ moment }: AutomatedFile) => moment === 'during' },
  { name: FILE_MOMENTS.after, has: ({ moment }: AutomatedFile) => moment === 'after' },
  {
    name: t('Other photos'),
    has: ({ automationTool, moment }: AutomatedFile) => !moment && automationTool !== 'lead_intake',
  },
] as const

export type PhotoGroup = { name: string; photos: AutomatedFile[] }
/** `original` is the photo itself where it was made from none that is here. */
export type PlacedPhoto = { photo: AutomatedFile; original: AutomatedFile }

/** In their order, but each copy, and then its own copies, right behind the photo it was drawn on. */
export function placeCopiesAfterOriginals(photos: readonly AutomatedFile[]): PlacedPhoto[] {
  const known = new Set(photos.map(({ id }) => id))
  // A copy refers to an older photo, so the loop ends.
  const withCopies = (photo: AutomatedFile, original: AutomatedFile): PlacedPhoto[] => [
    { photo, original },
    ...photos.filter(({ madeFrom }) => madeFrom === photo.id).flatMap((copy) => withCopies(copy, original)),
  ]
  return photos.filter(({ madeFrom }) => !madeFrom || !known.has(madeFrom)).flatMap((photo) => withCopies(photo, photo))
}

/** Groups with photos, in the order of the work. A copy is placed with its original. */
export function groupPhotos(photos: readonly AutomatedFile[]): PhotoGroup[] {
  const placed = placeCopiesAfterOriginals(photos)
  const groups = GROUPS.map(({ name, has }) => ({
    name,
    photos: placed.filter(({ original }) => has(original)).map(({ photo }) => photo),
  }))
  return groups.filter((group) => group.photos.length > 0)
}
