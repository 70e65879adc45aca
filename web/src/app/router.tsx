// Public routes; staff routes are a chunk of their own. Screens are lazy.
import { Suspense, useEffect, useRef, useState } from 'react'
import { Navigate, Route, Routes, useLocation, useSearchParams } from 'react-router-dom'
import { isDemoMode } from '@/lib/demo'
import { paths } from '@/lib/paths'
import { getSafeRedirect } from '@/lib/safe-redirect'
import { deviceStore } from '@/offline/device-store'
import { useSession } from '@/features/session/use-session'
import { lazyScreen } from './lazy-screen'
import { LoadingScreen } from './loading-screen'
import { RequireAuth } from './require-auth'
import { PublicShell } from './shells/public-shell'
import { UnreachableScreen } from './unreachable-screen'

const Login = lazyScreen(() => import('@/features/auth/login.route'))
const Join = lazyScreen(() => import('@/features/auth/join.route'))
const ForgotPassword = lazyScreen(() => import('@/features/auth/forgot-password.route'))
const ResetPassword = lazyScreen(() => import('@/features/auth/reset-password.route'))
const RejectEmail = lazyScreen(() => import('@/features/auth/reject-email.route'))
const ConfirmEmail = lazyScreen(() => import('@/features/auth/confirm-email.route'))
const Register = lazyScreen(() => import('@/features/auth/register.route'))
const LeadForm = lazyScreen(() => import('@/features/lead-intake/lead-form.route'))
const QuoteForm = lazyScreen(() => import('@/features/quote-request/quote-request.route'))
const Checkout = lazyScreen(() => import('@/features/checkout/checkout.route'))
const StaffRoutes = lazyScreen(() => import('./staff-routes'))
const Demo = lazyScreen(() => import('./demo/demo.route'))

/** Login page for visitors; signed-in users are redirected to the requested page or the start. */
function VisitorOnly({ screen, isExpected = false }: { screen: 'login' | 'register'; isExpected?: boolean }) {
  // Without an earlier sign-in on the device no session is requested.
  const [ask] = useState(() => isExpected || deviceStore.isOwned())
  const session = useSession({ ask })
  const [search] = useSearchParams()
  if (session.status === 'loading') return <LoadingScreen />
  if (session.status === 'unreachable') return <UnreachableScreen error={session.error} onRetry={session.retry} />
  if (session.status === 'authenticated')
    return <Navigate to={getSafeRedirect(search.get('next'), paths.app)} replace />
  return screen === 'login' ? <Login /> : <Register />
}

function useScrollToTop(): void {
  const { pathname } = useLocation()
  const shown = useRef(pathname)
  useEffect(() => {
    if (shown.current === pathname) return
    shown.current = pathname
    globalThis.scrollTo(0, 0)
  }, [pathname])
}

export function Router() {
  useScrollToTop()
  return <Suspense fallback={<LoadingScreen />}>{isDemoMode() ? <Demo /> : <AppRoutes />}</Suspense>
}

function AppRoutes() {
  return (
    <Routes>
      <Route element={<PublicShell />}>
        {/* At the root the server decides: it serves the app to signed-in users only. */}
        <Route path="/" element={<VisitorOnly screen="login" isExpected />} />
        <Route path="/login" element={<VisitorOnly screen="login" />} />
        <Route path="/register" element={<VisitorOnly screen="register" />} />
        <Route path="/forgot-password" element={<ForgotPassword />} />
        <Route path="/reset-password" element={<ResetPassword />} />
        <Route path="/confirm-email" element={<ConfirmEmail />} />
        <Route path="/not-me" element={<RejectEmail />} />
        <Route path="/join/:token" element={<Join />} />
        <Route path="/lead" element={<LeadForm />} />
        <Route path="/quote" element={<QuoteForm />} />
        <Route path="/quote-request" element={<QuoteForm />} />
        <Route path="/checkout" element={<Checkout />} />
      </Route>
      <Route element={<RequireAuth />}>
        <Route path="*" element={<StaffRoutes />} />
      </Route>
    </Routes>
  )
}
