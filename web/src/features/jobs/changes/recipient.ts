// To whom the papers of a job go.
import type { Recipient } from '@/features/paper/way-fields'
import type { JobDetail } from '../types'

export const recipientOf = ({ customerEmail, customerPhone, customerNoText }: JobDetail): Recipient => ({
  email: customerEmail,
  phone: customerPhone,
  noText: customerNoText,
})
