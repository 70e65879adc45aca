import type { Schema } from '@/api/client'

/** Names no time of its own: without the server's, none is known. */
const thankYouText = ({ readingTime }: Pick<Schema['Created'], 'readingTime'>) =>
  `Thank you for your request. ${readingTime ?? "We'll be in touch."}`

export const leadMessages = {
  title: 'Get Your Free Quote',
  name: 'Name is required',
  phone: 'Phone number is required',
  email: 'Invalid email',
  service: 'Service type is required',
  zip: 'Zip code is required',
  photoHint: 'PNG or JPG up to 5MB each',
  success: { title: 'Request Submitted!', description: thankYouText },
  failure: { title: 'Submission Failed', description: 'Please try again or call us directly.' },
} as const
