// Security administration texts, fixed by the product.
export const adminMessages = {
  title: 'Security Admin',
  back: 'Back to Dashboard',
  status: { title: 'Security Status', unavailable: 'Security status unavailable' },
  report: { title: 'Security Controls Overview', unavailable: 'Security report unavailable' },
  compliance: {
    title: 'Compliance Report',
    /** Default text. */
    organisation: 'Toolbox AI',
    download: 'Download Report',
    done: { title: 'Download Complete', description: 'Security compliance report has been downloaded.' },
    failed: { title: 'Download Failed', description: 'Failed to generate compliance report.' },
  },
  audit: {
    title: 'Audit Log',
    open: 'View Audit Log',
    loaded: (total: string, isOne: boolean) => `${total} security ${isOne ? 'event' : 'events'} in the log.`,
    /** Before the details in the browser's console. */
    console: 'Security audit log',
    loadedTitle: 'Audit Log Loaded',
    failed: { title: 'Access Failed', description: 'Failed to load security audit log.' },
    none: 'Nothing is in the log yet.',
    noMatch: 'Nothing in the log matches this.',
    exported: { title: 'Export successful', description: 'Audit log data has been exported to CSV' },
    exportFailed: { title: 'Export failed', description: 'The file did not arrive. Please try again.' },
    whole: 'No one has altered the log',
    altered: 'The log was altered',
    verifyFailed: { title: 'Not checked', description: 'The log could not be checked. Please try again.' },
  },
  alerts: {
    title: 'Security Alerts',
    about: 'Sent to the owners by email and to their devices, each at most once a day for one cause.',
    failed: { title: 'The alerts could not be loaded', description: 'The answer did not arrive. Please try again.' },
    saved: { title: 'Alert Updated', description: 'Security alert configuration saved.' },
    notSaved: { title: 'Update Failed', description: 'Failed to update alert configuration.' },
  },
  invite: {
    title: 'Invite a Business',
    about:
      'They get a link to register. It is good for 14 days, for this address alone, and also where registration is closed.',
    send: 'Send the invitation',
    done: { title: 'Invitation Sent', description: 'The email is on its way.' },
    failed: { title: 'Not Sent', description: 'The invitation could not be sent. Please try again.' },
  },
  clients: {
    title: 'Client Management',
    hashed: 'Passwords are hashed with Argon2id. No one can read them, not even the person who runs your Toolbox.',
    none: 'No clients registered yet',
    noMatch: 'No one matches this.',
    failed: { title: 'Access Failed', description: 'Failed to load the clients.' },
    reset: 'Reset Password',
    notActive: 'Activate them first. Anyone who cannot sign in needs no password.',
    resetAsk: (email: string) =>
      `${email} is signed out everywhere and gets an email with a link to choose a new password. It works once, for 30 minutes.`,
    resetDone: { title: 'Reset Link Sent', description: 'They are signed out everywhere, and the link is on its way.' },
    allowUnpaid: 'Allow without payment',
    allowUnpaidUndo: 'Undo',
    allowUnpaidDone: {
      title: 'Allowed without payment',
      description: 'This business can send without paying.',
    },
    allowUnpaidUndone: { title: 'Undone', description: 'The limits of its step apply again.' },
    allowUnpaidFailed: { title: 'Not Changed', description: 'It did not work. Please try again.' },
    resetFailed: { title: 'Reset Failed', description: 'The link could not be sent. Please try again.' },
  },
} as const
