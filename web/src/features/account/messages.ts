export const accountMessages = {
  title: 'Your account',
  loadFailed: { title: 'Your account could not be loaded', description: 'It did not arrive. Please try again.' },
  devicesFailed: { title: 'Your devices could not be loaded', description: 'They did not arrive. Please try again.' },
  shortcuts: {
    title: 'Keyboard shortcuts',
    label: 'Use single-key shortcuts',
    hint: 'On this device. Press ? on any screen to see them. Search with Ctrl K or ⌘ K always works.',
  },
  offline: 'Without a connection nothing can be changed here.',
  password: {
    success: { title: 'Password changed', description: 'Every other device was signed out.' },
    failure: { title: 'Password not changed', description: 'It did not work. Please try again.' },
    current: 'Please enter your password',
  },
  takeKeys: (count: number) =>
    `Also remove ${count === 1 ? 'the key' : `the ${count} keys`} I made for programs. Do this if someone else may know the password.`,
  begin: { failure: { title: 'Not started', description: 'It did not work. Please try again.' } },
  confirm: {
    success: { title: 'Two-step sign-in is on', description: 'Every other device was signed out.' },
    failure: { title: 'Not turned on', description: 'It did not work. Please try again.' },
  },
  off: {
    success: { title: 'Two-step sign-in is off', description: 'Every other device was signed out.' },
    failure: { title: 'Not turned off', description: 'It did not work. Please try again.' },
  },
  passkeys: {
    loadFailed: { title: 'Your passkeys could not be loaded', description: 'They did not arrive. Please try again.' },
    add: {
      success: { title: 'Passkey added', description: 'It signs in without a password.' },
      failure: { title: 'No passkey added', description: 'It did not work. Please try again.' },
    },
    cancelled: 'No passkey was made. Nothing was changed.',
    there: 'This device has a passkey for your account already.',
    rename: {
      success: { title: 'Saved', description: 'The passkey has its new name.' },
      failure: { title: 'Not saved', description: 'It did not work. Please try again.' },
    },
    remove: {
      success: {
        title: 'Passkey removed',
        description: 'It no longer works. Every other device was signed out.',
      },
      failure: { title: 'Not removed', description: 'It did not work. Please try again.' },
    },
    missing: 'Enter a name',
  },
  codes: { failure: { title: 'No new codes', description: 'It did not work. Please try again.' } },
  signedOut: {
    success: { title: 'Signed out', description: 'That device no longer gets alerts.' },
    failure: { title: 'Not signed out', description: 'It did not work. Please try again.' },
  },
  othersSignedOut: {
    success: { title: 'Signed out everywhere else', description: 'Only this device is signed in.' },
    failure: { title: 'Not signed out', description: 'It did not work. Please try again.' },
  },
  required: {
    success: { title: 'Saved', description: 'Anyone without a code sets it up at the next sign-in.' },
    failure: { title: 'Not saved', description: 'It did not work. Please try again.' },
  },
  notRequired: { title: 'Saved', description: 'Each person decides for themselves.' },
} as const
