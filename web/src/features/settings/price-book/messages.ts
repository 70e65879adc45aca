// Every text of the price book that is said in more than one place.
export const priceTexts = {
  added: { title: 'Item added', description: 'It can be put on estimates and invoices now.' },
  saved: { title: 'Item saved', description: 'New lines have it so. Papers that are out stay as they are.' },
  failed: { title: 'Item not saved', description: 'The price book stands as it was. What you typed is still here.' },
  setAside: 'Item set aside',
  broughtBack: { title: 'Item offered again', description: 'It can be put on estimates and invoices.' },
  changeFailed: { title: 'Not changed', description: 'The price book stands as it was. Please try again.' },
  name: 'Say what it is',
  price: 'Please enter a price',
  cost: 'Please enter a cost, or leave it empty',
  tax: 'Enter a percentage, like 8.25, or leave it empty',
  tooLarge: 'This file is larger than 2 MB. Please send it in parts.',
  readFailed: { title: 'File not read', description: 'The server did not take it. Please try again.' },
  importFailed: { title: 'Nothing imported', description: 'The price book stands as it was. Please try again.' },
  offline: 'You are offline. The price book is changed with a connection.',
} as const
