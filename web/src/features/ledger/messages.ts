import { t } from '@/lib/i18n'
export const ledgerMessages = {
  undone: { title: t('Payment undone'), description: t('Everything is as it was before the payment.') },
  undoFailed: { title: t('Not undone'), description: t('The payment was not changed. Please try again.') },
  refunded: { title: t('Refund recorded'), description: t('It is listed below the payment.') },
  refundPending: {
    title: t('Refund on its way'),
    description: t('The card takes a moment to answer. Its state changes here by itself.'),
  },
  refundFailed: { title: t('Not refunded'), description: t('The payment was not changed. Please try again.') },
  markedRefunded: { title: t('Marked as refunded'), description: t('It counts as given back.') },
  markedNotRefunded: {
    title: t('Marked as not refunded'),
    description: t('It counts as not given back. Give the money back only if Stripe does not list this refund.'),
  },
  notMarked: { title: t('Not marked'), description: t('Nothing was changed. Please try again.') },
  givenBack: {
    title: t('Refund on its way'),
    description: t('The credit goes back to the customer’s card. You can still undo it for a minute.'),
  },
  receiptSent: { title: t('Receipt on its way'), description: t('The customer gets it by email.') },
  receiptWaits: t('Receipt not sent yet'),
  receiptFailed: { title: t('Receipt not sent'), description: t('It could not be handed over. Please try again.') },
  receiptNotOpened: { title: t('Receipt not opened'), description: t('The file did not arrive. Please try again.') },
  date: t('Please choose the day it was paid'),
  invalid: { title: t('Invalid Amount'), description: t('Please enter a valid payment amount') },
} as const
