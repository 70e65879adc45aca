// Names of what is filled in, as the owner reads them on chips.
import { formatIdentifier } from '@/lib/format/identifier'

const LABELS: Readonly<Record<string, string>> = {
  businessName: 'Business name',
  businessPhone: 'Business phone',
  customerName: 'Customer’s first name',
  customerPhone: 'Customer’s phone',
  customerMessage: 'Customer’s message',
  timestamp: 'Date and time',
  invoiceNumber: 'Invoice number',
  amount: 'Amount',
  daysOverdue: 'Days overdue',
  reviewLink: 'Review link',
  bookingLink: 'Booking link',
  timesLink: 'Link to free times',
  crewName: 'Crew name',
  reopensAt: 'When you open next',
  leadCount: 'Number of leads',
  estimateNumber: 'Estimate number',
  estimateLink: 'Estimate link',
  receiptNumber: 'Receipt number',
  invoiceLink: 'Invoice link',
  dueDate: 'Due date',
  visitTime: 'Visit time',
  visitLink: 'Visit link',
  arrivalTime: 'Arrival time',
  changeOrderNumber: 'Change order number',
  changeOrderLink: 'Change order link',
  jobTotal: 'Job total',
}

export const getVariableLabel = (name: string) => LABELS[name] ?? formatIdentifier(name)

const COMPARED = /^(\w+)\s*==\s*"([^"]*)"$/

/** `amount` as "there is: Amount", `leadCount == "1"` as "Number of leads is 1". */
export function describeTest(test: string): string {
  const [, name, value] = COMPARED.exec(test) ?? []
  if (name !== undefined) return `${getVariableLabel(name)} is ${value ?? ''}`
  return /^\w+$/.test(test) ? `there is: ${getVariableLabel(test)}` : test
}
