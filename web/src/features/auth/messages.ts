import { t } from '@/lib/i18n'

export const authMessages = {
  login: {
    title: t('Welcome back'),
    lead: t('Sign in to see who asked for work and what they were told.'),
    titleRegistered: (firstName: string) => t('Welcome, {firstName}', { firstName }),
    leadRegistered: t('Your business is registered. Sign in to set it up.'),
    success: { title: t('Login successful'), description: t('Welcome back!') },
    failureTitle: t('Login failed'),
    failure: t('Invalid email or password'),
    missing: { title: t('Error'), description: t('Please fill in all fields') },
    email: t('Please enter your email'),
    password: t('Please enter your password'),
  },
  code: {
    failure: { title: t('Not signed in'), description: t('It did not work. Please try again.') },
    missing: t('Enter the code'),
    tooLate: t('This sign-in took too long'),
  },
  forgotten: {
    failure: { title: t('Nothing was sent'), description: t('It did not work. Please try again.') },
  },
  reset: {
    success: { title: t('Password changed'), description: t('Sign in with the new one.') },
    failure: { title: t('Password not changed'), description: t('It did not work. Please try again.') },
  },
  prove: {
    failure: { title: t('Not proved'), description: t('It did not work. Please try again.') },
    cancelled: t('No passkey was used. Try again, or use your password.'),
    passkeyFailure: { title: t('Not proved'), description: t('This passkey did not work. Use your password.') },
  },
  register: {
    name: t('Full name is required'),
    email: t('Email is required'),
    emailFormat: t('Invalid email'),
    passwordShort: t('Password must be at least 8 characters long'),
    passwordLong: t('Password must be at most 128 characters long'),
    passwordsDiffer: t('Passwords do not match'),
    passwordCommon: t('This password is among the most used ones. Please choose a less common one'),
    passwordOwn: t('Please choose a password that is not the name of your business or your email'),
  },
} as const
