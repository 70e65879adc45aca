import { plural, t } from '@/lib/i18n'

export const accountMessages = {
  title: t('Your account'),
  loadFailed: { title: t('Your account could not be loaded'), description: t('It did not arrive. Please try again.') },
  devicesFailed: {
    title: t('Your devices could not be loaded'),
    description: t('They did not arrive. Please try again.'),
  },
  shortcuts: {
    title: t('Keyboard shortcuts'),
    label: t('Use single-key shortcuts'),
    hint: t('On this device. Press ? on any screen to see them. Search with Ctrl K or ⌘ K always works.'),
  },
  offline: t('Without a connection nothing can be changed here.'),
  password: {
    success: { title: t('Password changed'), description: t('Every other device was signed out.') },
    failure: { title: t('Password not changed'), description: t('It did not work. Please try again.') },
    current: t('Please enter your password'),
  },
  takeKeys: (count: number) =>
    plural(
      count,
      'Also remove the key I made for programs. Do this if someone else may know the password.',
      'Also remove the {count} keys I made for programs. Do this if someone else may know the password.',
    ),
  begin: { failure: { title: t('Not started'), description: t('It did not work. Please try again.') } },
  confirm: {
    success: { title: t('Two-step sign-in is on'), description: t('Every other device was signed out.') },
    failure: { title: t('Not turned on'), description: t('It did not work. Please try again.') },
  },
  off: {
    success: { title: t('Two-step sign-in is off'), description: t('Every other device was signed out.') },
    failure: { title: t('Not turned off'), description: t('It did not work. Please try again.') },
  },
  passkeys: {
    loadFailed: {
      title: t('Your passkeys could not be loaded'),
      description: t('They did not arrive. Please try again.'),
    },
    add: {
      success: { title: t('Passkey added'), description: t('It signs in without a password.') },
      failure: { title: t('No passkey added'), description: t('It did not work. Please try again.') },
    },
    cancelled: t('No passkey was made. Nothing was changed.'),
    there: t('This device has a passkey for your account already.'),
    rename: {
      success: { title: t('Saved'), description: t('The passkey has its new name.') },
      failure: { title: t('Not saved'), description: t('It did not work. Please try again.') },
    },
    remove: {
      success: {
        title: t('Passkey removed'),
        description: t('It no longer works. Every other device was signed out.'),
      },
      failure: { title: t('Not removed'), description: t('It did not work. Please try again.') },
    },
    missing: t('Enter a name'),
  },
  codes: { failure: { title: t('No new codes'), description: t('It did not work. Please try again.') } },
  signedOut: {
    success: { title: t('Signed out'), description: t('That device no longer gets alerts.') },
    failure: { title: t('Not signed out'), description: t('It did not work. Please try again.') },
  },
  othersSignedOut: {
    success: { title: t('Signed out everywhere else'), description: t('Only this device is signed in.') },
    failure: { title: t('Not signed out'), description: t('It did not work. Please try again.') },
  },
  required: {
    success: { title: t('Saved'), description: t('Anyone without a code sets it up at the next sign-in.') },
    failure: { title: t('Not saved'), description: t('It did not work. Please try again.') },
  },
  notRequired: { title: t('Saved'), description: t('Each person decides for themselves.') },
} as const
