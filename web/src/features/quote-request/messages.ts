// Every text of the quote form.
import type { Schema } from '@/api/client'

/** What a quote is promised within: "24 hours", "1 hour". */
export const withinWords = (hours: number) => `${hours} ${hours === 1 ? 'hour' : 'hours'}`

export const quoteMessages = {
  title: 'Request a Quote',
  formTitle: 'Project Details',
  missing: { title: 'Missing Information', description: 'Please fill out all required fields marked with *' },
  required: 'Required',
  email: 'Invalid email',
  success: { title: 'Quote Request Submitted!', description: (hours: number | null | undefined) => typeof hours === 'number' ? `We'll get back to you within ${withinWords(hours)} with your custom quote.` : "We'll get back to you with your custom quote." },
  failure: { title: 'Submission Error', description: 'Something went wrong. Please try again or call us directly.' },
  received: 'Quote Request Received!',
  again: 'Submit Another Quote Request',
  highlights: (business: Schema['FormContext'] | undefined) => [
    { icon: 'clock', title: 'Fast Response', text: business && (typeof business.quoteHours === 'number' ? `${business.quoteHours}-hour turnaround` : 'Every request is read') },
    { icon: 'star', title: 'Quality Work', text: typeof business?.rating === 'number' ? `${business.rating.toFixed(1)} star average rating` : 'Care in every job' },
    { icon: 'shield', title: 'No Obligation', text: 'Free estimates' },
  ] as const,
} as const
