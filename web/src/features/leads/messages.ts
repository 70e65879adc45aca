import { formatCount } from '@/lib/format/number'
import { plural, t } from '@/lib/i18n'
export const leadsMessages = {
  title: t('Automated Leads Tracker'),
  noMatch: t('No leads found matching your search.'),
  noneFiltered: t('No leads match.'),
  clearFilters: t('Clear filters'),
  notFoundTitle: t('Lead Not Found'),
  notFound: t("The lead you're looking for doesn't exist."),
  listFailed: { title: t('Leads could not be loaded'), description: t('The list did not arrive. Please try again.') },
  leadFailed: { title: t('Lead could not be loaded'), description: t('This lead did not arrive. Please try again.') },
  export: {
    title: t('Export successful'),
    csv: t('Leads data has been exported to CSV'),
    json: t('Leads data has been exported to JSON'),
    failure: { title: t('Export failed'), description: t('The file could not be made. Please try again.') },
  },
  copied: { title: t('Link copied'), description: t('Put it on your website, or send it to a customer.') },
  copyFailed: { title: t('Could not copy'), description: t('Select the link and copy it yourself.') },
  retry: {
    heldTitle: t('Not sent yet'),
    success: {
      title: t('Sending again'),
      description: t('The message is on its way. Its state changes here by itself.'),
    },
    failure: { title: t('Not sent again'), description: t('The message could not be queued. Please try again.') },
  },
  alerts: {
    markAll: t('Mark all as seen'),
    markGroup: t('Mark as seen'),
    markUrgent: (count: number) =>
      plural(count, 'Mark {count} alert as seen, urgent ones too', 'Mark {count} alerts as seen, urgent ones too', {
        count: formatCount(count),
      }),
    allSeen: { title: t('Marked as seen') },
    notSeen: { title: t('Not marked as seen'), description: t('Nothing was changed. Please try again.') },
    /** Alerts with the same cause, always several. */
    groups: {
      new_lead: (count: string) => t('{count} new leads', { count }),
      asked_again: (count: string) => t('{count} people asked again', { count }),
      missed_call: (count: string) => t('{count} missed calls', { count }),
      text_received: (count: string) => t('{count} texts came in', { count }),
      text_not_sent: (count: string) => t('{count} texts did not get through', { count }),
      texting_trouble: (count: string) => t('{count} alerts about texting', { count }),
      estimate_viewed: (count: string) => t('{count} estimates were opened', { count }),
      estimate_approved: (count: string) => t('{count} estimates were approved', { count }),
      estimate_declined: (count: string) => t('{count} estimates were declined', { count }),
      estimate_asked: (count: string) => t('{count} questions about estimates', { count }),
      invoice_asked: (count: string) => t('{count} questions about invoices', { count }),
      visit_booked: (count: string) => t('{count} visits were booked', { count }),
      visit_changed: (count: string) => t('{count} visits were changed', { count }),
      payment_received: (count: string) => t('{count} payments came in', { count }),
      payment_failed: (count: string) => t('{count} payments failed', { count }),
      job_done: (count: string) => t('{count} jobs are done', { count }),
      low_rating: (count: string) => t('{count} low ratings', { count }),
    },
    failure: {
      title: t('Not saved'),
      description: t('It could not be noted that you have seen this. Please try again.'),
    },
  },
  release: {
    success: {
      title: t('Released'),
      description: t('The rules answer it within a minute. See below what is sent and what is not.'),
    },
    failure: { title: t('Still held'), description: t('The request could not be released. Please try again.') },
  },
  hold: {
    success: { title: t('Held again'), description: t('The replies that had not left were stopped.') },
    failure: {
      title: t('Not held'),
      description: t('The replies have left already, or the server could not be reached.'),
    },
  },
  answered: {
    success: { title: t('Noted'), description: t('It is on the timeline, and the promise is settled.') },
    failure: { title: t('Not saved'), description: t('It could not be noted. Please try again.') },
  },
  owner: { title: t('Owner not changed'), description: t('It could not be saved. Please try again.') },
  offline: t('You are offline. Estimates and payments need a connection.'),
  historyOffline: t('You are offline. The history needs a connection.'),
  estimates: {
    listFailed: { title: t('Estimates could not be loaded'), description: t('They did not arrive. Please try again.') },
    invalid: { title: t('Invalid Amount'), description: t('Please enter a valid estimate amount') },
    made: t('Estimate Generated'),
    makeFailed: {
      title: t('Estimate failed'),
      description: t('The estimate could not be made. What you typed is still here.'),
    },
    previewFailed: {
      title: t('No preview'),
      description: t('The draft could not be made. What you typed is still here.'),
    },
  },
  money: {
    loadFailed: {
      title: t('Money could not be loaded'),
      description: t('What was agreed and paid did not arrive. Please try again.'),
    },
    recorded: { title: t('Payment Recorded'), description: t('Lead has been marked as paid') },
    recordFailed: {
      title: t('Payment not recorded'),
      description: t('Nothing was booked. What you typed is still here.'),
    },
  },
} as const
