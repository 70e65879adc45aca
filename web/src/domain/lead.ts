// A lead's closed sets with their labels, order and tones. A new value in the API breaks the build here.
import type { Schema } from '@/api/client'
import type { Tone } from './tone'

export type LeadStage = Schema['LeadStage']
export type LeadFormKind = Schema['LeadFormKind']

export const LEAD_STAGES = {
  New: { label: 'New', tone: 'info', icon: 'sparkle' },
  Quoted: { label: 'Quoted', tone: 'accent', icon: 'document' },
  Scheduled: { label: 'Scheduled', tone: 'warning', icon: 'calendar' },
  Done: { label: 'Done', tone: 'secondary', icon: 'check' },
  Paid: { label: 'Paid', tone: 'success', icon: 'dollar' },
} as const satisfies Record<LeadStage, { label: string; tone: Tone; icon: string }>

export const LEAD_STAGE_ORDER = ['New', 'Quoted', 'Scheduled', 'Done', 'Paid'] as const satisfies readonly LeadStage[]

/** How a request came in. */
export const LEAD_FORMS = {
  lead: 'Lead form',
  quote: 'Quote form',
  call: 'Missed call',
  text: 'Text',
  typed: 'Typed in',
  booking: 'Asked for a time online',
} as const satisfies Record<LeadFormKind, string>

/** Value sent and label shown of each service on the lead form. */
export const LEAD_SERVICES = [
  { value: 'plumbing', label: 'Plumbing' },
  { value: 'electrical', label: 'Electrical' },
  { value: 'hvac', label: 'HVAC' },
  { value: 'roofing', label: 'Roofing' },
  { value: 'landscaping', label: 'Landscaping' },
  { value: 'other', label: 'Other' },
] as const

/** A service as people read it; the quote form's values are labels already. */
export function serviceLabel(value: string): string {
  return LEAD_SERVICES.find((service) => service.value === value)?.label ?? value
}

/** What the board of leads hands to what puts a job on it: the lead that is to be scheduled. */
export type ScheduleSlot = { lead: { id: string; name: string }; onClose: () => void }

export const MAX_PHOTOS = 5
export const MAX_PHOTO_BYTES = 5 * 1024 * 1024
export const MIN_PHONE_LENGTH = 10
export const MIN_ZIP_LENGTH = 5
/** A lead's number as people say it: the first characters of its id. */
export const LEAD_NUMBER_LENGTH = 8
export const DEFAULT_LEAD_SOURCE = 'Website'
