// What stands around every staff screen.
import { lazy, type ReactNode, Suspense, useState, useSyncExternalStore } from 'react'
import { Outlet, useLocation } from 'react-router-dom'
import { proof } from '@/api/proof'
import { sessionExpired } from '@/api/session-expired'
import { inDemo } from '@/lib/demo'
import { useMedia } from '@/lib/hooks/use-media'
import { AppNotices } from '@/pwa/app-notices'
import { useCurrentUser } from '@/session/use-session'
import { CrashBoundary } from '@/ui/crash-boundary'
import { useLiveEvents } from '../live/use-live-events'
import { LoadingScreen } from '../loading-screen'
import { BottomNav } from './bottom-nav'
import { ErrorList } from './error-list'
import { ForOffice } from './for-office'
import { isForOffice } from './nav-items'
import { NavOverlay } from './nav-overlay'
import { OutboxBanner } from './outbox-banner'
import { Sidebar } from './sidebar'
import { TopBar } from './top-bar'
import { useKeepErrors } from './use-kept-errors'
import { useUnreadOnIcon } from './use-unread'

const SubscriptionNotice = lazy(async () => ({
  default: (await import('@/features/subscription/subscription-notice')).SubscriptionNotice,
}))
const AddressNotice = lazy(async () => ({ default: (await import('@/features/trust/address-notice')).AddressNotice }))
const InheritedNotice = lazy(async () => ({
  default: (await import('@/features/trust/inherited-notice')).InheritedNotice,
}))
const TrustNotice = lazy(async () => ({ default: (await import('@/features/trust/trust-notice')).TrustNotice }))
const SignInAgain = lazy(async () => ({ default: (await import('@/features/auth/sign-in-again')).SignInAgain }))
const ProveDialog = lazy(async () => ({ default: (await import('@/features/auth/prove-dialog')).ProveDialog }))

type StaffShellProps = { /** Said above every screen. */ notice?: ReactNode }

export function Component({ notice }: StaffShellProps) {
  const { pathname } = useLocation()
  const { role } = useCurrentUser()
  const [isMoreOpen, setIsMoreOpen] = useState(false)
  const [areErrorsOpen, setAreErrorsOpen] = useState(false)
  const showErrors = () => setAreErrorsOpen(true)
  useLiveEvents()
  useUnreadOnIcon()
  useKeepErrors()
  const isWide = useMedia('(min-width: 64rem)', true)
  const hasExpired = useSyncExternalStore(sessionExpired.subscribe, sessionExpired.current)
  const isProofAsked = useSyncExternalStore(proof.subscribe, proof.isAsked)
  return (
    <>
      {/* Whose session has ended sees nothing until they sign in again; what was typed stays. */}
      <div className={`flex min-h-dvh pr-(--sai-right) pl-(--sai-left) ${hasExpired ? 'invisible' : ''}`}>
        <a href="#main" className="btn btn-primary sr-only z-50 focus:not-sr-only focus:fixed focus:top-2 focus:left-2">
          Skip to content
        </a>
        {isWide && <Sidebar />}
        <div className="flex min-w-0 flex-1 flex-col">
          <TopBar onErrors={showErrors} />
          {notice}
          <OutboxBanner />
          <AppNotices />
          {role !== 'owner' && !inDemo() && (
            <Suspense fallback={null}>
              <AddressNotice />
            </Suspense>
          )}
          {/* Crews can do nothing about it, and of the demonstration nobody pays. */}
          {role !== 'crew' && !inDemo() && (
            <Suspense fallback={null}>
              <SubscriptionNotice />
              <TrustNotice />
              <InheritedNotice />
            </Suspense>
          )}
          <main
            id="main"
            tabIndex={-1}
            className="mx-auto w-full max-w-7xl flex-1 px-4 pt-4 pb-[calc(var(--nav-height)+var(--sai-bottom)+1.5rem)] outline-none lg:px-6 lg:pt-6 lg:pb-8"
          >
            <CrashBoundary screen={pathname}>
              <Suspense fallback={<LoadingScreen />}>
                {role === 'crew' && isForOffice(pathname) ? <ForOffice /> : <Outlet />}
              </Suspense>
            </CrashBoundary>
          </main>
        </div>
        <BottomNav isMoreOpen={isMoreOpen} onMore={() => setIsMoreOpen(true)} />
        <NavOverlay open={isMoreOpen} onClose={() => setIsMoreOpen(false)} onErrors={showErrors} />
        {/* After the menu, which gives its focus back before the list takes it. */}
        <ErrorList open={areErrorsOpen} onClose={() => setAreErrorsOpen(false)} />
        {isProofAsked && (
          <Suspense fallback={null}>
            <ProveDialog />
          </Suspense>
        )}
      </div>
      {hasExpired && (
        <Suspense fallback={null}>
          <SignInAgain />
        </Suspense>
      )}
    </>
  )
}
