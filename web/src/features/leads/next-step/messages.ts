export const nextStepMessages = {
  label: 'Next step',
  failed: { title: "The next step didn't load", description: 'Check your connection, then try again.' },
  answer: { title: 'They wait for your answer', late: 'Your answer is late' },
  callBack: { title: 'They called and wait for your call', late: 'Your call is late' },
  sendEstimate: { title: 'No estimate yet', expired: 'The estimate has expired' },
  awaitApproval: {
    title: 'Waiting for their answer',
    unsent: 'The estimate has not left yet',
    opened: 'They opened it.',
    unopened: "They haven't opened it yet.",
  },
  schedule: { approved: 'The estimate is approved', undated: 'The job has no time yet', plain: 'Nothing is scheduled' },
  noCrew: 'No crew yet',
  inProgress: 'Work in progress',
  sendInvoice: 'The work is done',
  collect: 'Waiting for payment',
  review: { title: 'Everything is paid', detail: 'Ask them for a review while they remember your work.' },
  complete: { title: 'Nothing is left to do', detail: 'You asked them for a review.' },
  lost: { declined: 'They declined the estimate', noReply: 'No reply needed', detail: 'Nothing is left to do.' },
  /** Why a quick action does not apply yet. It can still be opened. */
  notYet: {
    reminder: 'Nothing waits for them: no open estimate, visit or invoice.',
    payment: 'Nothing is agreed or billed yet.',
    paid: 'Everything is paid.',
    review: "The work isn't done yet.",
  },
} as const
