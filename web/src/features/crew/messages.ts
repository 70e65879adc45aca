export const crewMessages = {
  title: 'Today',
  none: 'No jobs today.',
  noCrew: 'You belong to no crew yet. Ask the office to put you into one: its jobs appear here.',
  daysFailed: { title: 'Your jobs could not be loaded', description: 'They did not arrive. Please try again.' },
  notKept: { title: 'Not kept', description: 'This phone has no room left for it. Free some room and try again.' },
  toldLater: 'The customer gets the message when you are back online; call them if it matters.',
  waiting: 'Waiting to be sent',
  refused: 'Not sent',
  byEmailOnly: (why: string) => `The customer gets it by email, not by text: ${why}.`,
  told: { title: 'On its way to the customer', description: 'They hear when to expect you.' },
  notToldYet: 'The customer is not told yet',
  notTold: { title: 'The customer was not told', otherwise: 'Call them if it matters.' },
  photos: {
    before: 'Add a photo taken before the work first.',
    during: 'Add a photo taken during the work first.',
    after: 'Add a photo taken after the work first.',
  },
} as const
