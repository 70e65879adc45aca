// Every text of the customers' screens that is said in more than one place.
export const customersMessages = {
  title: 'Customers',
  noneTitle: 'No customers yet',
  none: 'Everybody who asks for work, rings or writes stands here by themselves.',
  noMatch: 'No customers found.',
  notFoundTitle: 'Customer Not Found',
  notFound: "The customer you're looking for doesn't exist.",
  listFailed: { title: 'Customers could not be loaded', description: 'The list did not arrive. Please try again.' },
  customerFailed: { title: 'Customer could not be loaded', description: 'This record did not arrive. Please try again.' },
  offline: 'You are offline. This needs a connection.',
  name: 'Name is required',
  phone: 'Please enter a phone number with its area code',
  email: 'Please enter an email like ann@example.com',
  address: 'Write the address',
  edit: {
    success: { title: 'Customer saved', description: 'Their open requests say so too.' },
    failure: { title: 'Customer not saved', description: 'The record stands as it was. What you typed is still here.' },
  },
  place: {
    added: { title: 'Place added', description: 'Jobs can be booked there.' },
    saved: { title: 'Place saved', description: 'The record says so from now on.' },
    removed: { title: 'Place removed', description: 'Jobs that were done there keep its address.' },
    failure: { title: 'Place not saved', description: 'The list stands as it was. Please try again.' },
  },
  merge: {
    success: 'Records merged',
    failure: { title: 'Not merged', description: 'Both records stand as they were. Please try again.' },
    previewFailed: { title: 'The two could not be compared', description: 'What a merge would do did not arrive. Please try again.' },
    parted: { title: 'Parted again', description: 'Both records stand as they did before.' },
    partFailed: { title: 'Not parted', description: 'The record stands as it was. Please try again.' },
  },
} as const
