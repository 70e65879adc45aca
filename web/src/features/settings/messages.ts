export const settingsMessages = {
  title: 'Settings',
  heading: 'Settings and Configuration',
  search: 'Search settings',
  searchHint: 'Hours, tax, missed calls...',
  found: (count: number) =>
    count === 0
      ? 'No setting matches. Try another word.'
      : count === 1
        ? '1 setting matches'
        : `${count} settings match`,
  autosave: {
    idle: 'Changes save by themselves',
    saving: 'Saving...',
    saved: (changed: string) => (changed === '' ? 'Saved' : `Saved. ${changed}`),
    unsaved: 'Not saved yet',
    offline: 'You are offline. Settings need a connection.',
    offlineTyped: 'You are offline. What you typed stays here and is saved when you are back.',
  },
  savedMark: (shown: string) => (shown === '' ? 'Saved' : `Saved: ${shown}`),
  notUndone: { title: 'Nothing was changed', description: 'Someone changed this setting again. Their change stays.' },
  saved: { title: 'Settings Updated', description: 'Your organization settings have been saved' },
  saveFailed: { title: 'Not saved', description: 'Your changes are still here. Please try again.' },
  organizationFailed: {
    title: 'Organization could not be loaded',
    description: 'Your business info did not arrive. Please try again.',
  },
  settingsFailed: {
    title: 'Settings could not be loaded',
    description: 'Your settings did not arrive. Please try again.',
  },
  templatesFailed: {
    title: 'Templates could not be loaded',
    description: 'Your templates did not arrive. Please try again.',
  },
  statusFailed: { title: 'Status could not be loaded', description: 'The answer did not arrive. Please try again.' },
  devicesFailed: { title: 'Devices could not be loaded', description: 'The list did not arrive. Please try again.' },
  previewFailed: { title: 'No preview', description: 'What it would send could not be worked out. Please try again.' },
  wordingPreviewFailed: { title: 'No preview', description: 'The server did not answer. Please try again.' },
  versionsFailed: {
    title: 'Earlier wordings could not be loaded',
    description: 'The list did not arrive. Please try again.',
  },
  webhooksFailed: {
    title: 'Addresses could not be loaded',
    description: 'The answer did not arrive. Please try again.',
  },
  name: 'Business name is required',
  link: 'Enter a full web address, like https://example.com',
  number: (from: number, to: number) => `Enter a whole number from ${from} to ${to}`,
  time: 'Enter a time',
  testEmail: {
    success: { title: 'Test Email Sent' },
    failure: { title: 'Test email not sent', description: 'The server could not send it. Please try again.' },
  },
  testSms: {
    success: { title: 'Test SMS Sent' },
    failure: { title: 'Test SMS not sent', description: 'The server could not send it. Please try again.' },
  },
  testWaits: 'Test not sent yet',
  pulse: {
    success: { title: 'KPI Pulse Sent', description: 'KPI report has been generated and sent' },
    partly: { title: 'KPI Pulse sent to some', hint: 'See below who got nothing yet, and why.' },
    waits: 'KPI report not sent yet',
    waitsHint: 'It is ready. See below what it waits for.',
    failure: { title: 'KPI report not sent', description: 'The server could not send it. Please try again.' },
  },
  pulseFailed: {
    title: 'Report could not be loaded',
    description: 'What it would say did not arrive. Please try again.',
  },
  recipientFailed: { title: 'List not changed', description: 'The server did not take the change. Please try again.' },
  recipientRemoved: 'Removed',
  templateSaved: { title: 'Settings Updated', description: 'The template is saved. Messages from now on use it.' },
  templateRefused: {
    title: 'Template not saved',
    description: 'The marked place needs another look. Your words are still here.',
  },
  templateReset: { title: 'Settings Updated', description: 'The template is back to our wording.' },
  figures: { amount: 'Enter an amount like 1,250.00, or nothing', percent: 'Enter a number from 0 to 100' },
  paper: {
    prefix: 'Use letters, digits and hyphens only',
    deposit: 'Please enter a deposit above 0, or choose none',
    rateName: 'Give the tax a name',
    rate: 'Enter a percentage, like 8.25',
    rateTwice: 'Use each name only once',
    rateMost: (most: number) => `At most ${most}. Take one out first.`,
    logoTooLarge: 'This picture is larger than 5 MB',
    logoSaved: { title: 'Settings Updated', description: 'Your logo is on every document from now on.' },
    logoRemoved: { title: 'Settings Updated', description: 'Your documents show your name instead.' },
    logoFailed: { title: 'Logo not changed', description: 'The server did not take it. Please try again.' },
  },
  reviews: {
    hours: 'Enter a time from 8:00 AM to 8:00 PM',
    span: 'Leave at least two hours to ask in',
    keyFailed: {
      title: 'Key could not be loaded',
      description: 'Whether there is one did not arrive. Please try again.',
    },
    keyMade: { title: 'Key made', description: 'Copy the address now: it is shown this once.' },
    keyMakeFailed: { title: 'No key made', description: 'Nothing was changed. Please try again.' },
    keyRemoved: { title: 'Key removed', description: 'Other programs can no longer send reviews.' },
    keyRemoveFailed: { title: 'Key not removed', description: 'It still opens. Please try again.' },
    copied: { title: 'Address copied', description: 'Paste it into the other program. Treat it like a password.' },
  },
  copied: {
    twilio: { title: 'Copied', description: 'Paste it into the field in Twilio.' },
    stripe: { title: 'Copied', description: 'Paste it into the field in Stripe.' },
  },
  copyFailed: { title: 'Could not copy', description: 'Select the address and copy it yourself.' },
} as const
