// Lets signed-in people through; sends others to the login page, which brings them back.
import { Navigate, Outlet, useLocation } from 'react-router-dom'
import { useSession } from '@/session/use-session'
import { LoadingScreen } from './loading-screen'
import { paths } from './paths'
import { UnreachableScreen } from './unreachable-screen'

export function RequireAuth() {
  const session = useSession()
  const location = useLocation()
  if (session.status === 'loading') return <LoadingScreen />
  if (session.status === 'unreachable') return <UnreachableScreen error={session.error} onRetry={session.retry} />
  if (session.status === 'anonymous') {
    return <Navigate to={paths.login(`${location.pathname}${location.search}${location.hash}`)} replace />
  }
  return <Outlet />
}
