// Words of the demonstration's tour.
import { paths } from '@/lib/paths'

export const demoMessages = {
  label: 'Tour',
  begin: 'Take the tour',
  start: 'Start the tour',
  intro: { title: 'See it in five steps', text: 'Follow a request from the first message to the payment.' },
  progress: (at: number, of: number) => `${at} of ${of}`,
  back: 'Previous step',
  next: 'Next step',
  done: 'End the tour',
  skip: 'Skip the tour',
  /** One customer's way, each part on its own screen. */
  steps: [
    {
      title: 'A request comes in',
      text: 'From a form, a text or a missed call. It is on your list right away.',
      to: paths.leads,
    },
    {
      title: 'It is answered',
      text: 'Customers hear back in seconds, day and night. You read every word.',
      to: paths.inbox,
    },
    {
      title: 'You send an estimate',
      text: 'Options side by side. The customer approves and signs on a phone.',
      to: `${paths.leads}?stage=Quoted`,
    },
    { title: 'The job is booked', text: 'Your crew sees it, and the customer gets reminders.', to: paths.schedule },
    {
      title: 'You get paid',
      text: 'By card from a text, or cash in hand. Reminders chase the rest.',
      to: paths.payments,
    },
  ],
} as const
