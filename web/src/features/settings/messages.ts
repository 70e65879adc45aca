import { plural, t } from '@/lib/i18n'

export const settingsMessages = {
  title: t('Settings'),
  heading: t('Settings and Configuration'),
  search: t('Search settings'),
  searchHint: t('Hours, tax, missed calls...'),
  found: (count: number) =>
    count === 0
      ? t('No setting matches. Try another word.')
      : plural(count, '{count} setting matches', '{count} settings match'),
  autosave: {
    idle: t('Changes save by themselves'),
    saving: t('Saving...'),
    saved: (changed: string) => (changed === '' ? t('Saved') : t('Saved. {changed}', { changed })),
    unsaved: t('Not saved yet'),
    offline: t('You are offline. Settings need a connection.'),
    offlineTyped: t('You are offline. What you typed stays here and is saved when you are back.'),
  },
  savedMark: (shown: string) => (shown === '' ? t('Saved') : t('Saved: {shown}', { shown })),
  notUndone: {
    title: t('Nothing was changed'),
    description: t('Someone changed this setting again. Their change stays.'),
  },
  saved: { title: t('Settings Updated'), description: t('Your organization settings have been saved') },
  saveFailed: { title: t('Not saved'), description: t('Your changes are still here. Please try again.') },
  organizationFailed: {
    title: t('Organization could not be loaded'),
    description: t('Your business info did not arrive. Please try again.'),
  },
  settingsFailed: {
    title: t('Settings could not be loaded'),
    description: t('Your settings did not arrive. Please try again.'),
  },
  templatesFailed: {
    title: t('Templates could not be loaded'),
    description: t('Your templates did not arrive. Please try again.'),
  },
  statusFailed: {
    title: t('Status could not be loaded'),
    description: t('The answer did not arrive. Please try again.'),
  },
  devicesFailed: {
    title: t('Devices could not be loaded'),
    description: t('The list did not arrive. Please try again.'),
  },
  previewFailed: {
    title: t('No preview'),
    description: t('What it would send could not be worked out. Please try again.'),
  },
  wordingPreviewFailed: { title: t('No preview'), description: t('The server did not answer. Please try again.') },
  versionsFailed: {
    title: t('Earlier wordings could not be loaded'),
    description: t('The list did not arrive. Please try again.'),
  },
  webhooksFailed: {
    title: t('Addresses could not be loaded'),
    description: t('The answer did not arrive. Please try again.'),
  },
  name: t('Business name is required'),
  link: t('Enter a full web address, like https://example.com'),
  number: (from: number, to: number) => t('Enter a whole number from {from} to {to}', { from, to }),
  time: t('Enter a time'),
  testEmail: {
    success: { title: t('Test Email Sent') },
    failure: { title: t('Test email not sent'), description: t('The server could not send it. Please try again.') },
  },
  testSms: {
    success: { title: t('Test SMS Sent') },
    failure: { title: t('Test SMS not sent'), description: t('The server could not send it. Please try again.') },
  },
  testWaits: t('Test not sent yet'),
  pulse: {
    success: { title: t('KPI Pulse Sent'), description: t('KPI report has been generated and sent') },
    partly: { title: t('KPI Pulse sent to some'), hint: t('See below who got nothing yet, and why.') },
    waits: t('KPI report not sent yet'),
    waitsHint: t('It is ready. See below what it waits for.'),
    failure: { title: t('KPI report not sent'), description: t('The server could not send it. Please try again.') },
  },
  pulseFailed: {
    title: t('Report could not be loaded'),
    description: t('What it would say did not arrive. Please try again.'),
  },
  recipientFailed: {
    title: t('List not changed'),
    description: t('The server did not take the change. Please try again.'),
  },
  recipientRemoved: t('Removed'),
  templateSaved: {
    title: t('Settings Updated'),
    description: t('The template is saved. Messages from now on use it.'),
  },
  templateRefused: {
    title: t('Template not saved'),
    description: t('The marked place needs another look. Your words are still here.'),
  },
  templateReset: { title: t('Settings Updated'), description: t('The template is back to our wording.') },
  figures: { amount: t('Enter an amount like 1,250.00, or nothing'), percent: t('Enter a number from 0 to 100') },
  paper: {
    prefix: t('Use letters, digits and hyphens only'),
    deposit: t('Please enter a deposit above 0, or choose none'),
    rateName: t('Give the tax a name'),
    rate: t('Enter a percentage, like 8.25'),
    rateTwice: t('Use each name only once'),
    rateMost: (most: number) => t('At most {most}. Take one out first.', { most }),
    logoTooLarge: t('This picture is larger than 5 MB'),
    logoSaved: { title: t('Settings Updated'), description: t('Your logo is on every document from now on.') },
    logoRemoved: { title: t('Settings Updated'), description: t('Your documents show your name instead.') },
    logoFailed: { title: t('Logo not changed'), description: t('The server did not take it. Please try again.') },
  },
  reviews: {
    hours: t('Enter a time from 8:00 AM to 8:00 PM'),
    span: t('Leave at least two hours to ask in'),
    keyFailed: {
      title: t('Key could not be loaded'),
      description: t('Whether there is one did not arrive. Please try again.'),
    },
    keyMade: { title: t('Key made'), description: t('Copy the address now: it is shown this once.') },
    keyMakeFailed: { title: t('No key made'), description: t('Nothing was changed. Please try again.') },
    keyRemoved: { title: t('Key removed'), description: t('Other programs can no longer send reviews.') },
    keyRemoveFailed: { title: t('Key not removed'), description: t('It still opens. Please try again.') },
    copied: {
      title: t('Address copied'),
      description: t('Paste it into the other program. Treat it like a password.'),
    },
  },
  copied: {
    twilio: { title: t('Copied'), description: t('Paste it into the field in Twilio.') },
    stripe: { title: t('Copied'), description: t('Paste it into the field in Stripe.') },
  },
  copyFailed: { title: t('Could not copy'), description: t('Select the address and copy it yourself.') },
} as const
