export const recoveredMessages = {
  title: 'Recovered money',
  lead: 'What customers paid after an automatic message had brought them back. Every payment counts once, and what you give back is taken off.',
  failed: {
    title: 'Recovered money could not be loaded',
    description: 'The figures did not arrive. Please try again.',
  },
  chainsFailed: { title: 'The cases could not be loaded', description: 'The list did not arrive. Please try again.' },
  counting: 'Still being counted',
  countingWhy: 'What was there before is being counted: these figures may grow.',
  noneTitle: 'Nothing recovered on these days',
  none: 'When a missed caller writes back after the text, or an estimate is signed after a reminder, and it brings in money, you see the whole case here, step by step.',
  notEnough: 'Not enough yet',
  export: {
    success: { title: 'Export successful', description: 'The cases have been exported to CSV' },
    failure: { title: 'Export failed', description: 'The file could not be made. Please try again.' },
  },
} as const
