export const reviewRequestMessages = {
  title: 'Request Review',
  failed: { title: 'No preview', description: 'What would be sent did not arrive. Please try again.' },
  cannot: 'They cannot be asked now',
  again: 'They were asked not long ago',
  requested: 'Review requested',
  waits: 'Review request not sent yet',
  notRequested: { title: 'Review not requested', description: 'It could not be handed over. Please try again.' },
} as const
