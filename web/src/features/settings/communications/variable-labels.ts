// Names of what is filled in, as the owner reads them on chips.
import { formatIdentifier } from '@/lib/format/identifier'
import { t } from '@/lib/i18n'

const LABELS: Readonly<Record<string, string>> = {
  businessName: t('Business name'),
  businessPhone: t('Business phone'),
  customerName: t('Customer’s first name'),
  customerPhone: t('Customer’s phone'),
  customerMessage: t('Customer’s message'),
  timestamp: t('Date and time'),
  invoiceNumber: t('Invoice number'),
  amount: t('Amount'),
  daysOverdue: t('Days overdue'),
  reviewLink: t('Review link'),
  bookingLink: t('Booking link'),
  timesLink: t('Link to free times'),
  crewName: t('Crew name'),
  reopensAt: t('When you open next'),
  leadCount: t('Number of leads'),
  estimateNumber: t('Estimate number'),
  estimateLink: t('Estimate link'),
  receiptNumber: t('Receipt number'),
  invoiceLink: t('Invoice link'),
  dueDate: t('Due date'),
  visitTime: t('Visit time'),
  visitLink: t('Visit link'),
  arrivalTime: t('Arrival time'),
  changeOrderNumber: t('Change order number'),
  changeOrderLink: t('Change order link'),
  jobTotal: t('Job total'),
}

export const getVariableLabel = (name: string) => LABELS[name] ?? formatIdentifier(name)

const COMPARED = /^(\w+)\s*==\s*"([^"]*)"$/

/** `amount` as "there is: Amount", `leadCount == "1"` as "Number of leads is 1". */
export function describeTest(test: string): string {
  const [, name, value] = COMPARED.exec(test) ?? []
  if (name !== undefined) return t('{variable} is {value}', { variable: getVariableLabel(name), value: value ?? '' })
  return /^\w+$/.test(test) ? t('there is: {variable}', { variable: getVariableLabel(test) }) : test
}
