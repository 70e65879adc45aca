import type { Recipient } from '@/features/documents/channel-fields'
import type { JobDetail } from '../types'

export const getJobRecipient = ({
  customerEmail,
  customerPhone,
  customerNoText,
  customerEmailProof,
  customerPhoneProof,
}: JobDetail): Recipient => ({
  email: customerEmail,
  phone: customerPhone,
  noText: customerNoText,
  emailProof: customerEmailProof,
  phoneProof: customerPhoneProof,
})
