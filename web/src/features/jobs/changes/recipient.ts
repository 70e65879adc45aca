import type { Recipient } from '@/features/documents/channel-fields'
import type { JobDetail } from '../types'

export const getJobRecipient = ({
  customerEmail,
  customerPhone,
  customerNoText,
  customerTextsBlocked,
  customerEmailProof,
  customerPhoneProof,
}: JobDetail): Recipient => ({
  email: customerEmail,
  phone: customerPhone,
  noText: customerNoText,
  textsBlocked: customerTextsBlocked,
  emailProof: customerEmailProof,
  phoneProof: customerPhoneProof,
})
