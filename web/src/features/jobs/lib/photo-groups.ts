// A job's photos by when they were taken.
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

/** Groups that have photos, in the order of the work. */
export function groupPhotos(photos: readonly AutomatedFile[]): PhotoGroup[] {
  return GROUPS.map(({ name, has }) => ({ name, photos: photos.filter((photo) => has(photo)) })).filter((group) => group.photos.length > 0)
}
