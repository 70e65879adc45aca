export const subscriptionMessages = {
  heading: 'Billing and Subscription',
  planName: 'Complete Package',
  features: [
    'Lead Intake Hub',
    'Auto-Reply + Scheduling',
    'Quote & Job Tracker',
    'Review Booster',
    'Owner KPI Pulse',
    'Unlimited Usage',
  ],
  loadFailed: { title: 'Billing could not be loaded', description: 'Please try again.' },
  historyFailed: {
    title: 'Your invoices could not be loaded',
    description: 'Stripe may be away for a moment. Please try again.',
  },
  notSetUp: 'Billing is not set up on this install. Nothing is charged.',
  portalFailed: { title: 'Error', description: 'Failed to open customer portal' },
  downloadFailed: { title: 'Download Failed', description: 'The invoices could not be fetched. Please try again.' },
  cancelled: {
    title: 'Subscription cancelled',
    description: 'It goes on until the day shown. Until then you can undo this.',
  },
  cancelFailed: { title: 'Not cancelled', description: 'Please try again.' },
  kept: { title: 'Your subscription continues', description: 'The cancellation was undone.' },
  keepFailed: { title: 'Still cancelled', description: 'Please try again.' },
  claimed: { title: 'Your subscription is set up', description: 'It belongs to this business from now on.' },
  claimFailed: {
    title: 'This link cannot be used',
    description: 'It belongs to another business, or was cut off. Open it from the email again.',
  },
} as const
