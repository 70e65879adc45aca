export const boardMessages = {
  failed: { title: 'The board could not be loaded', description: 'It did not arrive. Please try again.' },
  moved: 'Moved to',
  moveFailed: { title: 'Not moved', description: 'The lead stays where it was. Please try again.' },
  undone: { title: 'Undone', description: 'The lead is back where it was.' },
  undoFailed: { title: 'Not undone', description: 'The lead was not moved. Please try again.' },
  reason: 'Please say why it goes back, in a few words',
  schedule: 'Work that is scheduled has a job with a day and a crew. Without one the lead only changes its place here.',
  offline: 'You are offline. What you move here is sent when you are back online.',
  offlineStep: 'Scheduling and payments need a connection.',
} as const
