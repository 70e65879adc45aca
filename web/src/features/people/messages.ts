import { t } from '@/lib/i18n'
export const peopleMessages = {
  listFailed: { title: t('People could not be loaded'), description: t('The list did not arrive. Please try again.') },
  invitesFailed: {
    title: t('Invitations could not be loaded'),
    description: t('The list did not arrive. Please try again.'),
  },
  invited: {
    title: t('Invited'),
    failure: { title: t('Not invited'), description: t('Nothing was sent. What you typed is still here.') },
  },
  revoked: {
    success: { title: t('Invitation revoked'), description: t('Its link no longer works.') },
    failure: { title: t('Not revoked'), description: t('The invitation still works. Please try again.') },
  },
  saved: {
    success: { title: t('Saved'), description: t('It holds from now on.') },
    failure: { title: t('Not saved'), description: t('Nothing was changed. Please try again.') },
  },
  forgotten: {
    success: { title: t('Done'), description: t('Their next sign-in asks for no code.') },
    failure: { title: t('Not done'), description: t('Nothing was changed. Please try again.') },
  },
  copied: { title: t('Copied'), description: t('Send it to the person it is for, and to no one else.') },
  notCopied: { title: t('Not copied'), description: t('Select the address and copy it yourself.') },
  offline: t('You are offline. This needs a connection.'),
  name: t('Name is required'),
  way: t('Enter an email address or a mobile number'),
  email: t('Invalid email'),
  phone: t('Enter a phone number with its area code'),
} as const
