// Confirmation after a reset request, the same for every address.
import { Notice } from '@/ui/notice'

export function ResetLinkSent({ email }: { email: string }) {
  return (
    <Notice tone="success" title="Check your email">
      If {email} has an account, a link is on its way. It works once, for 30 minutes. Check your spam folder too.
    </Notice>
  )
}
