export const erasureMessages = {
  kept: { title: 'Customer kept', description: 'Nothing was changed.' },
  keepFailed: { title: 'Not undone', description: 'The customer is still about to be erased. Please try again.' },
} as const
