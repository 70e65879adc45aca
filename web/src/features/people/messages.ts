export const peopleMessages = {
  listFailed: { title: 'People could not be loaded', description: 'The list did not arrive. Please try again.' },
  invitesFailed: {
    title: 'Invitations could not be loaded',
    description: 'The list did not arrive. Please try again.',
  },
  invited: {
    title: 'Invited',
    failure: { title: 'Not invited', description: 'Nothing was sent. What you typed is still here.' },
  },
  revoked: {
    success: { title: 'Invitation revoked', description: 'Its link no longer works.' },
    failure: { title: 'Not revoked', description: 'The invitation still works. Please try again.' },
  },
  saved: {
    success: { title: 'Saved', description: 'It holds from now on.' },
    failure: { title: 'Not saved', description: 'Nothing was changed. Please try again.' },
  },
  forgotten: {
    success: { title: 'Done', description: 'Their next sign-in asks for no code.' },
    failure: { title: 'Not done', description: 'Nothing was changed. Please try again.' },
  },
  copied: { title: 'Copied', description: 'Send it to the person it is for, and to no one else.' },
  notCopied: { title: 'Not copied', description: 'Select the address and copy it yourself.' },
  offline: 'You are offline. This needs a connection.',
  name: 'Name is required',
  way: 'Enter an email address or a mobile number',
  email: 'Invalid email',
  phone: 'Enter a phone number with its area code',
} as const
