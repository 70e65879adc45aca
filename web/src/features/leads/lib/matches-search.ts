// Server search applied to loaded leads.
import { serviceLabel, type LeadSummary } from '@/domain/lead'

const digits = (text: string) => text.replaceAll(/\D/g, '')

/** Name and service without regard to case, phone by any part of it. */
export function matchesSearch(lead: LeadSummary, search: string): boolean {
  const wanted = search.trim().toLowerCase()
  if (wanted === '') return true
  const texts = [lead.name, lead.service, serviceLabel(lead.service), lead.phone, lead.phoneE164 ?? '']
  if (texts.some((text) => text.toLowerCase().includes(wanted))) return true
  const number = digits(wanted)
  const isNumber = number.length >= 3 && !/[a-z]/.test(wanted)
  return isNumber && [lead.phone, lead.phoneE164 ?? ''].some((phone) => digits(phone).includes(number))
}
