// The routes anyone may open; those of signed-in people are a chunk of their own. Screens load when they are opened.
import { Suspense, useEffect, useRef, useState } from 'react'
import { Navigate, Route, Routes, useLocation, useSearchParams } from 'react-router-dom'
import { inDemo } from '@/lib/demo'
import { paths } from '@/lib/paths'
import { safeRedirect } from '@/lib/safe-redirect'
import { deviceStore } from '@/offline/device-store'
import { useSession } from '@/session/use-session'
import { lazyScreen } from './lazy-screen'
import { LoadingScreen } from './loading-screen'
import { RequireAuth } from './require-auth'
import { PublicShell } from './shells/public-shell'
import { UnreachableScreen } from './unreachable-screen'

const Login = lazyScreen(() => import('@/features/auth/login.route'))
const Join = lazyScreen(() => import('@/features/auth/join.route'))
const Forgotten = lazyScreen(() => import('@/features/auth/forgotten.route'))
const Reset = lazyScreen(() => import('@/features/auth/reset.route'))
const NotMe = lazyScreen(() => import('@/features/auth/not-me.route'))
const ConfirmEmail = lazyScreen(() => import('@/features/auth/confirm-email.route'))
const Register = lazyScreen(() => import('@/features/auth/register.route'))
const LeadForm = lazyScreen(() => import('@/features/lead-intake/lead-form.route'))
const QuoteForm = lazyScreen(() => import('@/features/quote-request/quote-request.route'))
const Checkout = lazyScreen(() => import('@/features/checkout/checkout.route'))
const StaffRoutes = lazyScreen(() => import('./staff-routes'))
const Demo = lazyScreen(() => import('./demo/demo.route'))

/** A visitor sees the login page; a signed-in person, or who is expected to be one, is led on to the page asked for before, else to where the work begins. */
function VisitorOnly({ screen, isExpected = false }: { screen: 'login' | 'register'; isExpected?: boolean }) {
  // On a device where nobody ever signed in there is no session to ask for, and nothing to wait for.
  const [ask] = useState(() => isExpected || deviceStore.isOwned())
  const session = useSession({ ask })
  const [search] = useSearchParams()
  if (session.status === 'loading') return <LoadingScreen />
  if (session.status === 'unreachable') return <UnreachableScreen error={session.error} onRetry={session.retry} />
  if (session.status === 'authenticated') return <Navigate to={safeRedirect(search.get('next'), paths.app)} replace />
  return screen === 'login' ? <Login /> : <Register />
}

/** A new page starts at its top. */
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
  return <Suspense fallback={<LoadingScreen />}>{inDemo() ? <Demo /> : <OwnRoutes />}</Suspense>
}

function OwnRoutes() {
  return (
    <Routes>
      <Route element={<PublicShell />}>
        {/* Visitors get the public site there: to whom the server hands the app, it knows. */}
        <Route path="/" element={<VisitorOnly screen="login" isExpected />} />
        <Route path="/login" element={<VisitorOnly screen="login" />} />
        <Route path="/register" element={<VisitorOnly screen="register" />} />
        <Route path="/forgot-password" element={<Forgotten />} />
        <Route path="/reset-password" element={<Reset />} />
        <Route path="/confirm-email" element={<ConfirmEmail />} />
        <Route path="/not-me" element={<NotMe />} />
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
