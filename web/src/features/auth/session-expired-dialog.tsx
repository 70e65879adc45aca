// Sign-in over the screen after the session ended; unsaved input stays.
import { useQueryClient } from '@tanstack/react-query'
import { useCurrentUser } from '@/features/session/use-session'
import { t } from '@/lib/i18n'
import { Dialog } from '@/ui/dialog'
import { LoginForm } from './login-form'

/** Hides the screen until the next sign-in; a reload leads to the sign-in page. */
const reloadPage = () => globalThis.location.reload()

export function SessionExpiredDialog() {
  const { email } = useCurrentUser()
  const queryClient = useQueryClient()
  return (
    <Dialog open title={t('Sign in again')} onClose={reloadPage}>
      <p className="mb-4 text-muted">
        {t('Your session has ended. Sign in and go on where you were; nothing you typed is lost.')}
      </p>
      <LoginForm email={email} onSignedIn={() => void queryClient.invalidateQueries()} />
    </Dialog>
  )
}
