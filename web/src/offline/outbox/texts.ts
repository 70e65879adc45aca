// Texts of changes that wait on the device.
export const outboxTexts = {
  waiting: 'Waits for a connection',
  /** Description of the toast. */
  leavesLater: 'It is saved on this device and sent when you are back online.',
  sending: 'Sending...',
  undo: 'Undo',
  tooLate: { title: 'Too late', description: 'It was already sent.' },
  notKept: { title: 'Not kept', description: 'This device has no room left for it. Free some room and try again.' },
  refused: 'Not saved',
  stillSend: (waited: string) => `This waited for ${waited}. Still send it?`,
} as const
