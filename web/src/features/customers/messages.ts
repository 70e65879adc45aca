import { t } from '@/lib/i18n'
export const customersMessages = {
  privacyOffline: t("You need a connection to copy or erase this customer's data."),
  title: t('Customers'),
  noneTitle: t('No customers yet'),
  none: t('Everyone who asks for work, calls or writes is added here automatically.'),
  noMatch: t('No customers found.'),
  notFoundTitle: t('Customer Not Found'),
  notFound: t("The customer you're looking for doesn't exist."),
  listFailed: {
    title: t('Customers could not be loaded'),
    description: t('The list did not arrive. Please try again.'),
  },
  customerFailed: {
    title: t('Customer could not be loaded'),
    description: t('This record did not arrive. Please try again.'),
  },
  offline: t('You are offline. This needs a connection.'),
  name: t('Name is required'),
  phone: t('Please enter a phone number with its area code'),
  email: t('Please enter an email like ann@example.com'),
  address: t('Write the address'),
  edit: {
    success: { title: t('Customer saved'), description: t('Their open requests say so too.') },
    failure: { title: t('Customer not saved'), description: t('Nothing was changed. What you typed is still here.') },
  },
  mark: {
    staff: { title: t('Noted'), description: t('They are never asked for a review.') },
    notStaff: { title: t('Noted'), description: t('They are asked after their next job, like everybody.') },
    problem: { title: t('Problem noted'), description: t('No one asks them for a review until it is settled.') },
    settled: { title: t('Problem settled'), description: t('They are asked after their next job, like everybody.') },
    failure: { title: t('Not saved'), description: t('Nothing was changed. Please try again.') },
  },
  place: {
    added: { title: t('Place added'), description: t('Jobs can be booked there.') },
    saved: { title: t('Place saved'), description: t('The record says so from now on.') },
    removed: { title: t('Place removed'), description: t('Jobs that were done there keep its address.') },
    failure: { title: t('Property not saved'), description: t('Nothing was changed. Please try again.') },
  },
  merge: {
    success: t('Records merged'),
    failure: { title: t('Not merged'), description: t('Neither record was changed. Please try again.') },
    previewFailed: {
      title: t('The two could not be compared'),
      description: t('What a merge would do did not arrive. Please try again.'),
    },
    parted: { title: t('Separated again'), description: t('Both records are as they were before.') },
    partFailed: { title: t('Not separated'), description: t('Nothing was changed. Please try again.') },
  },
  privacy: {
    failed: {
      title: t('Personal data could not be loaded'),
      description: t('What there is of this customer did not arrive. Please try again.'),
    },
    asked: { title: t('Customer will be erased'), description: t('You can undo this for 3 days.') },
    askFailed: { title: t('Not erased'), description: t('Nothing was changed. Please try again.') },
    copied: { title: t('Copy downloaded'), description: t('It holds everything you keep about this customer.') },
    copyFailed: { title: t('Copy not downloaded'), description: t('Nothing was changed. Please try again.') },
  },
} as const

/** Of lists that are taken over. */
export const customerImportMessages = {
  tooLarge: t('This file is larger than 2 MB. Please send it in parts.'),
  readFailed: { title: t('File not read'), description: t('The server did not take it. Please try again.') },
  done: t('Customers imported'),
  failed: {
    title: t('Not imported'),
    description: t('The server did not take all of it. Send the same file again: no one is added twice.'),
  },
  undone: t('Import undone'),
  undoFailed: { title: t('Not undone'), description: t('All customers are still here. Please try again.') },
} as const
