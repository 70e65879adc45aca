// Security administration texts, fixed by the product.
import { t } from '@/lib/i18n'
export const adminMessages = {
  title: t('Security Admin'),
  back: t('Back to Dashboard'),
  status: { title: t('Security Status'), unavailable: t('Security status unavailable') },
  report: { title: t('Security Controls Overview'), unavailable: t('Security report unavailable') },
  compliance: {
    title: t('Compliance Report'),
    /** Default text. */
    organisation: 'Toolbox AI',
    download: t('Download Report'),
    done: { title: t('Download Complete'), description: t('Security compliance report has been downloaded.') },
    failed: { title: t('Download Failed'), description: t('Failed to generate compliance report.') },
  },
  audit: {
    title: t('Audit Log'),
    open: t('View Audit Log'),
    loaded: (total: string, isOne: boolean) =>
      isOne
        ? t('{count} security event in the log.', { count: total })
        : t('{count} security events in the log.', { count: total }),
    /** Before the details in the browser's console. */
    console: 'Security audit log',
    loadedTitle: t('Audit Log Loaded'),
    failed: { title: t('Access Failed'), description: t('Failed to load security audit log.') },
    none: t('Nothing is in the log yet.'),
    noMatch: t('Nothing in the log matches this.'),
    exported: { title: t('Export successful'), description: t('Audit log data has been exported to CSV') },
    exportFailed: { title: t('Export failed'), description: t('The file did not arrive. Please try again.') },
    whole: t('No one has altered the log'),
    altered: t('The log was altered'),
    verifyFailed: { title: t('Not checked'), description: t('The log could not be checked. Please try again.') },
  },
  alerts: {
    title: t('Security Alerts'),
    about: t('Sent to the owners by email and to their devices, each at most once a day for one cause.'),
    failed: {
      title: t('The alerts could not be loaded'),
      description: t('The answer did not arrive. Please try again.'),
    },
    saved: { title: t('Alert Updated'), description: t('Security alert configuration saved.') },
    notSaved: { title: t('Update Failed'), description: t('Failed to update alert configuration.') },
  },
  invite: {
    title: t('Invite a Business'),
    about: t(
      'They get a link to register. It is good for 14 days, for this address alone, and also where registration is closed.',
    ),
    send: t('Send the invitation'),
    done: { title: t('Invitation Sent'), description: t('The email is on its way.') },
    failed: { title: t('Not Sent'), description: t('The invitation could not be sent. Please try again.') },
  },
  clients: {
    title: t('Client Management'),
    hashed: t('Passwords are hashed with Argon2id. No one can read them, not even the person who runs your Toolbox.'),
    none: t('No clients registered yet'),
    noMatch: t('No one matches this.'),
    failed: { title: t('Access Failed'), description: t('Failed to load the clients.') },
    reset: t('Reset Password'),
    notActive: t('Activate them first. Anyone who cannot sign in needs no password.'),
    resetAsk: (email: string) =>
      t(
        '{email} is signed out everywhere and gets an email with a link to choose a new password. It works once, for 30 minutes.',
        { email },
      ),
    resetDone: {
      title: t('Reset Link Sent'),
      description: t('They are signed out everywhere, and the link is on its way.'),
    },
    allowUnpaid: t('Allow without payment'),
    allowUnpaidUndo: t('Undo'),
    allowUnpaidDone: {
      title: t('Allowed without payment'),
      description: t('This business can send without paying.'),
    },
    allowUnpaidUndone: { title: t('Undone'), description: t('The limits of its step apply again.') },
    allowUnpaidFailed: { title: t('Not Changed'), description: t('It did not work. Please try again.') },
    resetFailed: { title: t('Reset Failed'), description: t('The link could not be sent. Please try again.') },
  },
} as const
