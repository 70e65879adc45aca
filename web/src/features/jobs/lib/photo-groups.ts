// A job's photos by when they were taken, each copy that was drawn on beside its original.
import { FILE_MOMENTS } from '@/domain/job'
import type { AutomatedFile } from '../types'

const GROUPS = [
  { name: 'From the request', has: ({ automationTool, moment }: AutomatedFile) => !moment && automationTool === 'lead_intake' },
  { name: FILE_MOMENTS.before, has: ({ moment }: AutomatedFile) => moment === 'before' },
  { name: FILE_MOMENTS.during, has: ({ moment }: AutomatedFile) => moment === 'during' },
  { name: FILE_MOMENTS.after, has: ({ moment }: AutomatedFile) => moment === 'after' },
  { name: 'Other photos', has: ({ automationTool, moment }: AutomatedFile) => !moment && automationTool !== 'lead_intake' },
] as const

export type PhotoGroup = { name: string; photos: AutomatedFile[] }
/** `original` is the photo itself where it was made from none that is here. */
export type PlacedPhoto = { photo: AutomatedFile; original: AutomatedFile }

/** In their order, but each copy, and the copies of copies, right behind the photo they were drawn on. */
export function besideOriginals(photos: readonly AutomatedFile[]): PlacedPhoto[] {
  const byId = new Map(photos.map((photo) => [photo.id, photo]))
  const originalOf = (photo: AutomatedFile): AutomatedFile => {
    let original = photo
    for (let step = 0; step < photos.length; step += 1) original = byId.get(original.madeFrom ?? '') ?? original
    // Nothing is made from what was made of it; if it were, each would stand for itself.
    return byId.has(original.madeFrom ?? '') ? photo : original
  }
  const copies = photos.map((photo) => ({ photo, original: originalOf(photo) })).filter(({ photo, original }) => photo !== original)
  return photos.flatMap((photo) => {
    if (copies.some((copy) => copy.photo === photo)) return []
    return [{ photo, original: photo }, ...copies.filter(({ original }) => original === photo)]
  })
}

/** Groups that have photos, in the order of the work. A copy stands where its original does. */
export function groupPhotos(photos: readonly AutomatedFile[]): PhotoGroup[] {
  const placed = besideOriginals(photos)
  const groups = GROUPS.map(({ name, has }) => ({ name, photos: placed.filter(({ original }) => has(original)).map(({ photo }) => photo) }))
  return groups.filter((group) => group.photos.length > 0)
}
