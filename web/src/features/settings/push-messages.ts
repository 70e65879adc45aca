// Of the alerts on a device, which crews see too.
export const pushMessages = {
  pushFailed: {
    title: 'Alerts are still off',
    description: 'This browser did not give an address to send alerts to. Please try again.',
  },
  pushOn: { title: 'Alerts are on', description: 'New leads reach this device even with the app closed.' },
  pushTestFailed: { title: 'Test not sent', description: 'The server could not send it. Please try again.' },
  deviceRemoved: { title: 'Device removed', description: 'It gets no more alerts.' },
  deviceFailed: { title: 'Device not removed', description: 'The server did not take the change. Please try again.' },
} as const
