export const lineItemMessages = {
  line: {
    name: 'Say what it is',
    quantity: 'Please enter a quantity above 0',
    unitPrice: 'Please enter a price',
  },
  discount: 'Please enter a discount above 0',
  option: 'Give it a name',
  emptyOption: (name: string) => `${name} has no lines yet. Add one, or remove the option.`,
  prices: {
    listFailed: { title: 'Price book could not be loaded', description: 'It did not arrive. Please try again.' },
  },
} as const
