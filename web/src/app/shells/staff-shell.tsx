// Layout of staff screens.
import { lazy, type ReactNode, Suspense, useLayoutEffect, useState, useSyncExternalStore } from 'react'
import { Outlet, useLocation } from 'react-router-dom'
import { reauthPrompt } from '@/api/reauth-prompt'
import { sessionExpired } from '@/api/session-expired'
import { isDemoMode } from '@/lib/demo'
import { useMediaQuery } from '@/lib/hooks/use-media-query'
import { t } from '@/lib/i18n'
import { lazyOptional } from '@/lib/lazy-optional'
import { AppNotices } from '@/pwa/app-notices'
import { useCurrentUser } from '@/features/session/use-session'
import { ErrorBoundary } from '@/ui/error-boundary'
import { useLiveEvents } from '../live/use-live-events'
import { LoadingScreen } from '../loading-screen'
import { BottomNav } from './bottom-nav'
import { ErrorList } from './error-list'
import { QuickAccess } from './lazy-quick-access'
import { OfficeOnly } from './office-only'
import { isOfficeOnlyPath } from './nav-items'
import { NavOverlay } from './nav-overlay'
import { PendingChanges } from './pending-changes'
import { SendingPausedBanner } from './sending-paused-banner'
import { Sidebar } from './sidebar'
import { TopBar } from './top-bar'
import { useErrorLogRecorder } from './use-error-log'
import { useWaitingAppBadge } from './use-waiting-badge'

const SubscriptionNotice = lazyOptional(
  async () => (await import('@/features/subscription/subscription-notice')).SubscriptionNotice,
)
const EmailConfirmationNotice = lazyOptional(
  async () => (await import('@/features/trust/email-confirmation-notice')).EmailConfirmationNotice,
)
const InheritedNotice = lazyOptional(async () => (await import('@/features/trust/inherited-notice')).InheritedNotice)
const TrustNotice = lazyOptional(async () => (await import('@/features/trust/trust-notice')).TrustNotice)
const SessionExpiredDialog = lazy(async () => ({
  default: (await import('@/features/auth/session-expired-dialog')).SessionExpiredDialog,
}))
const ReauthDialog = lazy(async () => ({ default: (await import('@/features/auth/reauth-dialog')).ReauthDialog }))

type StaffShellProps = { /** Notice above the screen. */ notice?: ReactNode }

export function Component({ notice }: StaffShellProps) {
  const { pathname } = useLocation()
  const { role } = useCurrentUser()
  const [isMoreOpen, setIsMoreOpen] = useState(false)
  const [areErrorsOpen, setAreErrorsOpen] = useState(false)
  const showErrors = () => setAreErrorsOpen(true)
  useLiveEvents()
  useWaitingAppBadge()
  useErrorLogRecorder()
  const isWide = useMediaQuery('(min-width: 64rem)', true)
  const hasExpired = useSyncExternalStore(sessionExpired.subscribe, sessionExpired.current)
  // With the first paint: the subscription below begins later, and a question before it would count as cancelled.
  useLayoutEffect(() => reauthPrompt.addHost(), [])
  const isProofAsked = useSyncExternalStore(reauthPrompt.subscribe, reauthPrompt.isAsked)
  return (
    <>
      {/* Hidden after the session ended, still mounted so that input stays. */}
      <div className={`flex min-h-dvh pr-(--sai-right) pl-(--sai-left) ${hasExpired ? 'invisible' : ''}`}>
        <a href="#main" className="btn btn-primary sr-only z-50 focus:not-sr-only focus:fixed focus:top-2 focus:left-2">
          {t('Skip to content')}
        </a>
        {isWide && <Sidebar />}
        {/* A screen with `data-fills-screen` gets the height that bar and notices leave, and scrolls within. */}
        <div className="flex min-w-0 flex-1 flex-col has-data-fills-screen:h-dvh">
          <TopBar onErrors={showErrors} />
          {notice}
          <SendingPausedBanner />
          <AppNotices />
          {role !== 'crew' && !isDemoMode() && <PendingChanges />}
          {role !== 'owner' && !isDemoMode() && (
            <Suspense fallback={null}>
              <EmailConfirmationNotice />
            </Suspense>
          )}
          {/* Not for crews, nor in the demonstration. */}
          {role !== 'crew' && !isDemoMode() && (
            <Suspense fallback={null}>
              <SubscriptionNotice />
              <TrustNotice />
              <InheritedNotice />
            </Suspense>
          )}
          <main
            id="main"
            tabIndex={-1}
            className="mx-auto w-full max-w-7xl flex-1 px-4 pt-4 has-data-fills-screen:flex has-data-fills-screen:min-h-0 has-data-fills-screen:flex-col pb-[calc(var(--nav-height)+var(--sai-bottom)+1.5rem)] outline-none lg:px-6 lg:pt-6 lg:pb-8"
          >
            <ErrorBoundary screen={pathname}>
              <Suspense fallback={<LoadingScreen />}>
                {role === 'crew' && isOfficeOnlyPath(pathname) ? <OfficeOnly /> : <Outlet />}
              </Suspense>
            </ErrorBoundary>
          </main>
        </div>
        <BottomNav isMoreOpen={isMoreOpen} onMore={() => setIsMoreOpen(true)} />
        <NavOverlay open={isMoreOpen} onClose={() => setIsMoreOpen(false)} onErrors={showErrors} />
        {/* Mounted after the menu, which restores focus first. */}
        <ErrorList open={areErrorsOpen} onClose={() => setAreErrorsOpen(false)} />
        <Suspense fallback={null}>
          <QuickAccess />
        </Suspense>
        {isProofAsked && (
          <Suspense fallback={null}>
            <ReauthDialog />
          </Suspense>
        )}
      </div>
      {hasExpired && (
        <Suspense fallback={null}>
          <SessionExpiredDialog />
        </Suspense>
      )}
    </>
  )
}
