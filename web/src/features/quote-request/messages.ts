// Every text of the quote form.
import { QUOTE_TURNAROUND_HOURS } from '@/domain/quote'

export const quoteMessages = {
  title: 'Request a Quote',
  formTitle: 'Project Details',
  missing: { title: 'Missing Information', description: 'Please fill out all required fields marked with *' },
  required: 'Required',
  email: 'Invalid email',
  success: { title: 'Quote Request Submitted!', description: "We'll get back to you within 24 hours with your custom quote." },
  failure: { title: 'Submission Error', description: 'Something went wrong. Please try again or call us directly.' },
  received: 'Quote Request Received!',
  again: 'Submit Another Quote Request',
  highlights: [
    { icon: 'clock', title: 'Fast Response', text: `${QUOTE_TURNAROUND_HOURS}-hour turnaround` },
    { icon: 'star', title: 'Quality Work', text: 'Care in every job' },
    { icon: 'shield', title: 'No Obligation', text: 'Free estimates' },
  ],
} as const
