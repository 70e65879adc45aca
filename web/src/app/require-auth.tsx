// Redirect of visitors to the login page, with the way back.
import { useDeferredValue, useEffect } from 'react'
import { Navigate, Outlet, useLocation } from 'react-router-dom'
import { showStoredLanguage } from '@/lib/i18n/switch-language'
import { paths } from '@/lib/paths'
import { CurrentUserContext, useSession } from '@/features/session/use-session'
import { LoadingScreen } from './loading-screen'
import { UnreachableScreen } from './unreachable-screen'

export function RequireAuth() {
  const session = useSession()
  const location = useLocation()
  // Deferred for signing in (heavy render), immediate for signing out.
  const isIn = useDeferredValue(session.status === 'authenticated')
  const language = session.status === 'authenticated' ? session.user.language : undefined
  // The account may have brought its language to this device.
  useEffect(() => {
    if (language) showStoredLanguage(globalThis.location.pathname)
  }, [language])
  if (session.status === 'loading' || (session.status === 'authenticated' && !isIn)) return <LoadingScreen />
  if (session.status === 'unreachable') return <UnreachableScreen error={session.error} onRetry={session.retry} />
  if (session.status === 'anonymous') {
    return <Navigate to={paths.login(`${location.pathname}${location.search}${location.hash}`)} replace />
  }
  return (
    <CurrentUserContext value={session.user}>
      <Outlet />
    </CurrentUserContext>
  )
}
