// Every text of the schedule that is said in more than one place, or must stand letter for letter.
export const scheduleMessages = {
  title: 'Schedule',
  tray: 'Not scheduled',
  trayEmpty: 'Every job has a time.',
  noCrew: 'No crew yet',
  failed: { title: 'Schedule could not be loaded', description: 'It did not arrive. Please try again.' },
  moveFailed: { title: 'Not moved', description: 'The job stands as it was. Please try again.' },
  moved: 'Moved',
  scheduled: 'Scheduled',
  unscheduled: 'Taken off the schedule',
  saved: 'Saved',
  back: 'It waits under Not scheduled.',
  offline: 'You are offline. Moving jobs needs a connection.',
  incomplete: 'Choose a day and a time.',
  empty: 'Nothing planned.',
  tell: 'Tell the customer',
  tellHint: 'By text or email, a minute from now. Reminders follow the new time either way.',
} as const
