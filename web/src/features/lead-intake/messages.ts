// Every text of the lead form.
export const leadMessages = {
  title: 'Get Your Free Quote',
  name: 'Name is required',
  phone: 'Phone number is required',
  email: 'Invalid email',
  service: 'Service type is required',
  zip: 'Zip code is required',
  photoHint: 'PNG or JPG up to 5MB each',
  success: { title: 'Request Submitted!', description: "Thank you for your request. We'll be in touch shortly." },
  failure: { title: 'Submission Failed', description: 'Please try again or call us directly.' },
} as const
