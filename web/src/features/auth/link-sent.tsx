// What is said after a link to choose a new password was asked for. The same for every address.
import { Notice } from '@/ui/notice'

export function LinkSent({ email }: { email: string }) {
  return (
    <Notice tone="success" title="Check your email">
      If {email} has an account, a link is on its way. It works once, for 30 minutes. Check your spam folder too.
    </Notice>
  )
}
