export const checkoutMessages = {
  title: 'Request a Demo',
  setup: 'Complete Your Setup',
  button: 'Request A Demo',
  notConfigured: 'Payment processing is not configured yet. Please contact support to complete your setup.',
  failed: { title: 'Request Failed', description: 'Your request could not be sent. Please try again.' },
  orgName: 'Business name is required',
  name: 'Name is required',
  phone: 'Phone number is required',
  email: 'Email is required',
  emailFormat: 'Invalid email',
  industry: 'Industry is required',
  payFailed: 'The payment did not go through',
  unfinished: 'Your bank asks you for a confirmation that was not given. Nothing was charged. Please try again.',
  waiting: {
    title: 'Your bank has not confirmed the payment yet',
    description: 'Do not pay again. As soon as it has, you get a letter, and your subscription is on its page.',
  },
  noForm: {
    title: 'The payment form could not be loaded',
    description:
      'It comes from Stripe. Look whether something on this device holds it back, and load the page again: nothing is charged twice.',
  },
} as const
