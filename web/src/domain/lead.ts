// Closed sets of a lead: label, order, tone. A new API value fails the type check.
import type { Schema } from '@/api/client'
import { t } from '@/lib/i18n'
import type { Tone } from './tone'

export type LeadSummary = Schema['LeadSummary']
export type WorkEvent = Schema['WorkEvent']
export type LeadStage = Schema['LeadStage']
export type LeadFormKind = Schema['LeadFormKind']

export const LEAD_STAGES = {
  New: { label: t('New'), tone: 'info', icon: 'sparkle' },
  Quoted: { label: t('Quoted'), tone: 'accent', icon: 'document' },
  Scheduled: { label: t('Scheduled'), tone: 'warning', icon: 'calendar' },
  Done: { label: t('Done'), tone: 'secondary', icon: 'check' },
  Paid: { label: t('Paid'), tone: 'success', icon: 'dollar' },
} as const satisfies Record<LeadStage, { label: string; tone: Tone; icon: string }>

export const LEAD_STAGE_ORDER = ['New', 'Quoted', 'Scheduled', 'Done', 'Paid'] as const satisfies readonly LeadStage[]

/** Sources of a request. */
export const LEAD_FORMS = {
  lead: t('Lead form'),
  quote: t('Quote form'),
  call: t('Missed call'),
  text: t('Text'),
  typed: t('Typed in'),
  booking: t('Asked for a time online'),
} as const satisfies Record<LeadFormKind, string>

/** Value and label of the lead form's services. */
export const LEAD_SERVICES = [
  { value: 'plumbing', label: t('Plumbing') },
  { value: 'electrical', label: t('Electrical') },
  { value: 'hvac', label: 'HVAC' },
  { value: 'roofing', label: t('Roofing') },
  { value: 'landscaping', label: t('Landscaping') },
  { value: 'other', label: t('Other') },
] as const

/** Quote form values are labels already. */
export function serviceLabel(value: string): string {
  return LEAD_SERVICES.find((service) => service.value === value)?.label ?? value
}

/** Whether the customer named a service: a text or a call asks for none. */
export function isServiceChosen({ form, service }: { form: LeadFormKind; service: string }): boolean {
  return service !== 'other' || (form !== 'text' && form !== 'call')
}

/** Props of the scheduling slot on the lead board. */
export type ScheduleRouteProps = { lead: { id: string; name: string }; onClose: () => void }

export const MAX_PHOTOS = 5
export const MAX_PHOTO_BYTES = 5 * 1024 * 1024
export const MIN_PHONE_LENGTH = 10
export const MIN_ZIP_LENGTH = 5
/** First characters of the id. */
export const LEAD_NUMBER_LENGTH = 8
export const DEFAULT_LEAD_SOURCE = 'Website'
