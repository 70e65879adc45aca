import type { Schema } from '@/api/client'

/** Only what the server promised of this request. */
type QuotePromise = Pick<Schema['Created'], 'quoteHours' | 'readingTime'>

/** What a quote is promised within: "24 hours", "1 hour". */
const formatHours = (hours: number) => `${hours} ${hours === 1 ? 'hour' : 'hours'}`

/** " within 24 hours."; without hours a full stop, and when the request is read. */
export const formatTurnaround = ({ quoteHours, readingTime }: QuotePromise) =>
  `${typeof quoteHours === 'number' ? ` within ${formatHours(quoteHours)}` : ''}.${readingTime ? ` ${readingTime}` : ''}`

const followUpText = ({ quoteHours, readingTime }: QuotePromise) =>
  [
    `We'll get back to you${typeof quoteHours === 'number' ? ` within ${formatHours(quoteHours)}` : ''} with your custom quote.`,
    readingTime,
  ]
    .filter(Boolean)
    .join(' ')

export const quoteMessages = {
  title: 'Request a Quote',
  formTitle: 'Project Details',
  missing: { title: 'Missing Information', description: 'Please fill out all required fields marked with *' },
  required: 'Required',
  email: 'Invalid email',
  success: { title: 'Quote Request Submitted!', description: followUpText },
  failure: { title: 'Submission Error', description: 'Something went wrong. Please try again or call us directly.' },
  received: 'Quote Request Received!',
  again: 'Submit Another Quote Request',
  highlights: (business: Schema['FormContext'] | undefined) =>
    [
      {
        icon: 'clock',
        title: 'Fast Response',
        text:
          business &&
          (typeof business.quoteHours === 'number'
            ? `${business.quoteHours}-hour turnaround`
            : 'Every request is read'),
      },
      {
        icon: 'star',
        title: 'Quality Work',
        text:
          typeof business?.rating === 'number'
            ? `${business.rating.toFixed(1)} star average rating`
            : 'Care in every job',
      },
      { icon: 'shield', title: 'No Obligation', text: 'Free estimates' },
    ] as const,
} as const
