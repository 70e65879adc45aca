export const leadsMessages = {
  title: 'Automated Leads Tracker',
  noMatch: 'No leads found matching your search.',
  noneFiltered: 'No leads match.',
  clearFilters: 'Clear filters',
  notFoundTitle: 'Lead Not Found',
  notFound: "The lead you're looking for doesn't exist.",
  listFailed: { title: 'Leads could not be loaded', description: 'The list did not arrive. Please try again.' },
  leadFailed: { title: 'Lead could not be loaded', description: 'This lead did not arrive. Please try again.' },
  export: {
    title: 'Export successful',
    csv: 'Leads data has been exported to CSV',
    json: 'Leads data has been exported to JSON',
    failure: { title: 'Export failed', description: 'The file could not be made. Please try again.' },
  },
  copied: { title: 'Link copied', description: 'Put it on your website, or send it to a customer.' },
  copyFailed: { title: 'Could not copy', description: 'Select the link and copy it by hand.' },
  retry: {
    success: { title: 'Sending again', description: 'The message is on its way. Its state changes here by itself.' },
    failure: { title: 'Not sent again', description: 'The message could not be queued. Please try again.' },
  },
  alerts: {
    failure: { title: 'Not saved', description: 'It could not be noted that you have seen this. Please try again.' },
  },
  release: {
    success: {
      title: 'Let through',
      description: 'The rules answer it within a minute. What is sent, and what not, stands below.',
    },
    failure: { title: 'Still held', description: 'The request could not be released. Please try again.' },
  },
  hold: {
    success: { title: 'Held again', description: 'The replies that had not left were stopped.' },
    failure: { title: 'Not held', description: 'The replies have left already, or the server could not be reached.' },
  },
  answered: {
    success: { title: 'Noted', description: 'It stands on the timeline, and the promise is settled.' },
    failure: { title: 'Not saved', description: 'It could not be noted. Please try again.' },
  },
  owner: { title: 'Owner not changed', description: 'It could not be saved. Please try again.' },
  offline: 'You are offline. Estimates and payments need a connection.',
  historyOffline: 'You are offline. The history needs a connection.',
  estimates: {
    listFailed: { title: 'Estimates could not be loaded', description: 'They did not arrive. Please try again.' },
    invalid: { title: 'Invalid Amount', description: 'Please enter a valid estimate amount' },
    made: 'Estimate Generated',
    makeFailed: {
      title: 'Estimate failed',
      description: 'The estimate could not be made. What you typed is still here.',
    },
    previewFailed: { title: 'No preview', description: 'The draft could not be made. What you typed is still here.' },
  },
  money: {
    loadFailed: {
      title: 'Money could not be loaded',
      description: 'What was agreed and paid did not arrive. Please try again.',
    },
    recorded: { title: 'Payment Recorded', description: 'Lead has been marked as paid' },
    recordFailed: { title: 'Payment not recorded', description: 'Nothing was booked. What you typed is still here.' },
  },
} as const
