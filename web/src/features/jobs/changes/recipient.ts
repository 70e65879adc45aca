import type { Recipient } from '@/features/documents/channel-fields'
import type { JobDetail } from '../types'

export const getJobRecipient = ({ customerEmail, customerPhone, customerNoText }: JobDetail): Recipient => ({
  email: customerEmail,
  phone: customerPhone,
  noText: customerNoText,
})
