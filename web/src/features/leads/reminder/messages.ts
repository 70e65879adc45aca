import type { Schema } from '@/api/client'

export const reminderMessages = {
  failed: { title: 'No preview', description: 'The reminder did not arrive. Please try again.' },
  nothing: 'Nothing to remind of',
  cannot: 'It cannot be sent',
  sent: 'Reminder on its way',
  waits: 'Reminder not sent yet',
  of: { estimate: 'Of the estimate', visit: 'Of the visit', payment: 'Of the open invoice' } satisfies Record<
    Schema['ReminderOf'],
    string
  >,
  notSent: { title: 'Reminder not sent', description: 'It could not be handed over. Please try again.' },
} as const
