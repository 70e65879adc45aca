export const customersMessages = {
  privacyOffline: "You need a connection to copy or erase this customer's data.",
  title: 'Customers',
  noneTitle: 'No customers yet',
  none: 'Everyone who asks for work, calls or writes is added here automatically.',
  noMatch: 'No customers found.',
  notFoundTitle: 'Customer Not Found',
  notFound: "The customer you're looking for doesn't exist.",
  listFailed: { title: 'Customers could not be loaded', description: 'The list did not arrive. Please try again.' },
  customerFailed: {
    title: 'Customer could not be loaded',
    description: 'This record did not arrive. Please try again.',
  },
  offline: 'You are offline. This needs a connection.',
  name: 'Name is required',
  phone: 'Please enter a phone number with its area code',
  email: 'Please enter an email like ann@example.com',
  address: 'Write the address',
  edit: {
    success: { title: 'Customer saved', description: 'Their open requests say so too.' },
    failure: { title: 'Customer not saved', description: 'Nothing was changed. What you typed is still here.' },
  },
  mark: {
    staff: { title: 'Noted', description: 'They are never asked for a review.' },
    notStaff: { title: 'Noted', description: 'They are asked after their next job, like everybody.' },
    problem: { title: 'Problem noted', description: 'No one asks them for a review until it is settled.' },
    settled: { title: 'Problem settled', description: 'They are asked after their next job, like everybody.' },
    failure: { title: 'Not saved', description: 'Nothing was changed. Please try again.' },
  },
  place: {
    added: { title: 'Place added', description: 'Jobs can be booked there.' },
    saved: { title: 'Place saved', description: 'The record says so from now on.' },
    removed: { title: 'Place removed', description: 'Jobs that were done there keep its address.' },
    failure: { title: 'Property not saved', description: 'Nothing was changed. Please try again.' },
  },
  merge: {
    success: 'Records merged',
    failure: { title: 'Not merged', description: 'Neither record was changed. Please try again.' },
    previewFailed: {
      title: 'The two could not be compared',
      description: 'What a merge would do did not arrive. Please try again.',
    },
    parted: { title: 'Separated again', description: 'Both records are as they were before.' },
    partFailed: { title: 'Not separated', description: 'Nothing was changed. Please try again.' },
  },
  privacy: {
    failed: {
      title: 'Personal data could not be loaded',
      description: 'What there is of this customer did not arrive. Please try again.',
    },
    asked: { title: 'Customer will be erased', description: 'You can undo this for 3 days.' },
    askFailed: { title: 'Not erased', description: 'Nothing was changed. Please try again.' },
    copied: { title: 'Copy downloaded', description: 'It holds everything you keep about this customer.' },
    copyFailed: { title: 'Copy not downloaded', description: 'Nothing was changed. Please try again.' },
  },
} as const

/** Of lists that are taken over. */
export const customerImportMessages = {
  tooLarge: 'This file is larger than 2 MB. Please send it in parts.',
  readFailed: { title: 'File not read', description: 'The server did not take it. Please try again.' },
  done: 'Customers imported',
  failed: {
    title: 'Not imported',
    description: 'The server did not take all of it. Send the same file again: no one is added twice.',
  },
  undone: 'Import undone',
  undoFailed: { title: 'Not undone', description: 'All customers are still here. Please try again.' },
} as const
