export const ledgerMessages = {
  undone: { title: 'Payment undone', description: 'Everything is as it was before the payment.' },
  undoFailed: { title: 'Not undone', description: 'The payment was not changed. Please try again.' },
  refunded: { title: 'Refund recorded', description: 'It is listed below the payment.' },
  refundPending: {
    title: 'Refund on its way',
    description: 'The card takes a moment to answer. Its state changes here by itself.',
  },
  refundFailed: { title: 'Not refunded', description: 'The payment was not changed. Please try again.' },
  markedRefunded: { title: 'Marked as refunded', description: 'It counts as given back.' },
  markedNotRefunded: { title: 'Marked as not refunded', description: 'The money is yours to give back.' },
  notMarked: { title: 'Not marked', description: 'Nothing was changed. Please try again.' },
  givenBack: {
    title: 'Refund on its way',
    description: 'The credit goes back to the customer’s card. You can still undo it for a minute.',
  },
  receiptSent: { title: 'Receipt on its way', description: 'The customer gets it by email.' },
  receiptWaits: 'Receipt not sent yet',
  receiptFailed: { title: 'Receipt not sent', description: 'It could not be handed over. Please try again.' },
  receiptNotOpened: { title: 'Receipt not opened', description: 'The file did not arrive. Please try again.' },
  date: 'Please choose the day it was paid',
  invalid: { title: 'Invalid Amount', description: 'Please enter a valid payment amount' },
} as const
