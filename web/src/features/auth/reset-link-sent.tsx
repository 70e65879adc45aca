// Confirmation after a reset request, the same for every address.
import { t } from '@/lib/i18n'
import { Notice } from '@/ui/notice'

export function ResetLinkSent({ email }: { email: string }) {
  return (
    <Notice tone="success" title={t('Check your email')}>
      {t(
        'If {email} has an account, a link is on its way. It works once, for 30 minutes. Check your spam folder too.',
        { email },
      )}
    </Notice>
  )
}
