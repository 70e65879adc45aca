// The session ended while a screen was open: sign in on top of it, and what was typed stays.
import { useQueryClient } from '@tanstack/react-query'
import { useCurrentUser } from '@/session/use-session'
import { Dialog } from '@/ui/dialog'
import { LoginForm } from './login-form'

/** Nothing of the screen is shown to whoever does not sign in: a page loaded anew leads to the sign-in page. */
const leave = () => globalThis.location.reload()

export function SignInAgain() {
  const { email } = useCurrentUser()
  const queryClient = useQueryClient()
  return (
    <Dialog open title="Sign in again" onClose={leave}>
      <p className="mb-4 text-muted">
        Your session has ended. Sign in and go on where you were; nothing you typed is lost.
      </p>
      <LoginForm email={email} onSignedIn={() => void queryClient.invalidateQueries()} />
    </Dialog>
  )
}
