export const authMessages = {
  login: {
    title: 'Welcome back',
    lead: 'Sign in to see who asked for work and what they were told.',
    titleRegistered: (firstName: string) => `Welcome, ${firstName}`,
    leadRegistered: 'Your business is registered. Sign in to set it up.',
    success: { title: 'Login successful', description: 'Welcome back!' },
    failureTitle: 'Login failed',
    failure: 'Invalid email or password',
    missing: { title: 'Error', description: 'Please fill in all fields' },
    email: 'Please enter your email',
    password: 'Please enter your password',
  },
  code: {
    failure: { title: 'Not signed in', description: 'It did not work. Please try again.' },
    missing: 'Enter the code',
    tooLate: 'This sign-in took too long',
  },
  forgotten: {
    failure: { title: 'Nothing was sent', description: 'It did not work. Please try again.' },
  },
  reset: {
    success: { title: 'Password changed', description: 'Sign in with the new one.' },
    failure: { title: 'Password not changed', description: 'It did not work. Please try again.' },
  },
  prove: {
    failure: { title: 'Not proved', description: 'It did not work. Please try again.' },
    cancelled: 'No passkey was used. Try again, or use your password.',
    passkeyFailure: { title: 'Not proved', description: 'This passkey did not work. Use your password.' },
  },
  register: {
    name: 'Full name is required',
    email: 'Email is required',
    emailFormat: 'Invalid email',
    passwordShort: 'Password must be at least 8 characters long',
    passwordLong: 'Password must be at most 128 characters long',
    passwordsDiffer: 'Passwords do not match',
    passwordCommon: 'This password is among the most used ones. Please choose a less common one',
    passwordOwn: 'Please choose a password that is not the name of your business or your email',
  },
} as const
