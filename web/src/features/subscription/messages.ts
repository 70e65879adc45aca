import { t } from '@/lib/i18n'
export const subscriptionMessages = {
  heading: t('Billing and Subscription'),
  planName: t('Complete Package'),
  features: [
    t('Lead Intake Hub'),
    t('Auto-Reply + Scheduling'),
    t('Quote & Job Tracker'),
    t('Review Booster'),
    t('Owner KPI Pulse'),
    t('Unlimited Usage'),
  ],
  loadFailed: { title: t('Billing could not be loaded'), description: t('Please try again.') },
  historyFailed: {
    title: t('Your invoices could not be loaded'),
    description: t('Stripe may be away for a moment. Please try again.'),
  },
  notSetUp: t('Billing is not set up on this install. Nothing is charged.'),
  portalFailed: { title: t('Error'), description: t('Failed to open customer portal') },
  downloadFailed: {
    title: t('Download Failed'),
    description: t('The invoices could not be fetched. Please try again.'),
  },
  cancelled: {
    title: t('Subscription cancelled'),
    description: t('It goes on until the day shown. Until then you can undo this.'),
  },
  cancelFailed: { title: t('Not cancelled'), description: t('Please try again.') },
  kept: { title: t('Your subscription continues'), description: t('The cancellation was undone.') },
  keepFailed: { title: t('Still cancelled'), description: t('Please try again.') },
  claimed: { title: t('Your subscription is set up'), description: t('It belongs to this business from now on.') },
  claimFailed: {
    title: t('This link cannot be used'),
    description: t('It belongs to another business, or was cut off. Open it from the email again.'),
  },
} as const
