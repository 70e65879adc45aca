// Every route of the app. Screens load when they are opened.
import { Suspense, useEffect, useRef, useState } from 'react'
import { Navigate, Outlet, Route, Routes, useLocation, useParams, useSearchParams } from 'react-router-dom'
import { safeRedirect } from '@/lib/safe-redirect'
import { deviceStore } from '@/offline/device-store'
import { useSession } from '@/session/use-session'
import { lazyScreen } from './lazy-screen'
import { LoadingScreen } from './loading-screen'
import { paths } from './paths'
import { RequireAuth } from './require-auth'
import { PublicShell } from './shells/public-shell'
import { UnreachableScreen } from './unreachable-screen'

const Login = lazyScreen(() => import('@/features/auth/login.route'))
const Join = lazyScreen(() => import('@/features/auth/join.route'))
const Register = lazyScreen(() => import('@/features/auth/register.route'))
const LeadForm = lazyScreen(() => import('@/features/lead-intake/lead-form.route'))
const QuoteForm = lazyScreen(() => import('@/features/quote-request/quote-request.route'))
const StaffShell = lazyScreen(() => import('./shells/staff-shell'))
const Landing = lazyScreen(() => import('./landing.route'))
const Today = lazyScreen(() => import('@/features/crew/today.route'))
const FieldJob = lazyScreen(() => import('@/features/crew/field-job.route'))
const Leads = lazyScreen(() => import('@/features/leads/leads.route'))
const LeadDetail = lazyScreen(() => import('@/features/leads/lead-detail.route'))
const Jobs = lazyScreen(() => import('@/features/jobs/jobs.route'))
const JobDetail = lazyScreen(() => import('@/features/jobs/job-detail.route'))
const Invoices = lazyScreen(() => import('@/features/invoices/invoices.route'))
const InvoiceDetail = lazyScreen(() => import('@/features/invoices/invoice-detail.route'))
const LeadInvoices = lazyScreen(() => import('@/features/invoices/lead-invoices.route'))
const JobInvoices = lazyScreen(() => import('@/features/invoices/job-invoices.route'))
const LeadJobs = lazyScreen(() => import('@/features/jobs/lead-jobs.route'))
const ScheduleLead = lazyScreen(() => import('@/features/jobs/schedule-lead.route'))
const Settings = lazyScreen(() => import('@/features/settings/settings.route'))
const OutboxKeeper = lazyScreen(() => import('@/features/crew/outbox-keeper'))
const PushKeeper = lazyScreen(() => import('@/pwa/push-keeper'))
const Inbox = lazyScreen(() => import('@/features/inbox/inbox.route'))
const LeadConversation = lazyScreen(() => import('@/features/inbox/lead-conversation.route'))
const NotFound = lazyScreen(() => import('./not-found.route'))

/** A visitor sees the login page; a signed-in person is led on to the page asked for before, else to where the work begins. */
function VisitorOnly({ screen }: { screen: 'login' | 'register' }) {
  // On a device where nobody ever signed in there is no session to ask for, and nothing to wait for.
  const [ask] = useState(deviceStore.isOwned)
  const session = useSession({ ask })
  const [search] = useSearchParams()
  if (session.status === 'loading') return <LoadingScreen />
  if (session.status === 'unreachable') return <UnreachableScreen error={session.error} onRetry={session.retry} />
  if (session.status === 'authenticated') return <Navigate to={safeRedirect(search.get('next'), paths.app)} replace />
  return screen === 'login' ? <Login /> : <Register />
}

/** `/lead/:id` is the older address of the same page. */
function LeadShortLink() {
  const { id = '' } = useParams()
  return <Navigate to={paths.lead(id)} replace />
}

/** Beside every staff screen: the device's address for alerts is kept, a tapped alert is followed, and what waits on the device is sent. */
function WithAlerts() {
  return (
    <>
      <Outlet />
      <Suspense fallback={null}><PushKeeper /><OutboxKeeper /></Suspense>
    </>
  )
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
  return (
    <Suspense fallback={<LoadingScreen />}>
      <Routes>
        <Route element={<PublicShell />}>
          <Route path="/" element={<VisitorOnly screen="login" />} />
          <Route path="/login" element={<VisitorOnly screen="login" />} />
          <Route path="/register" element={<VisitorOnly screen="register" />} />
          <Route path="/join/:token" element={<Join />} />
          <Route path="/lead" element={<LeadForm />} />
          <Route path="/quote" element={<QuoteForm />} />
          <Route path="/quote-request" element={<QuoteForm />} />
        </Route>
        <Route element={<RequireAuth />}>
          <Route element={<WithAlerts />}>
            <Route element={<StaffShell />}>
              <Route path="/app" element={<Landing />} />
              <Route path="/app/leads" element={<Leads />}>
                <Route index element={<ScheduleLead />} />
              </Route>
              <Route path="/app/leads/:id" element={<LeadDetail />}>
                <Route index element={<><LeadJobs /><LeadInvoices /><LeadConversation /></>} />
              </Route>
              <Route path="/app/today" element={<Today />} />
              <Route path="/app/today/:id" element={<FieldJob />} />
              <Route path="/app/jobs" element={<Jobs />} />
              <Route path="/app/jobs/:id" element={<JobDetail />}>
                <Route index element={<JobInvoices />} />
              </Route>
              <Route path="/app/invoices" element={<Invoices />} />
              <Route path="/app/invoices/:id" element={<InvoiceDetail />} />
              <Route path="/app/inbox/:customerId?" element={<Inbox />} />
              <Route path="/app/settings" element={<Settings />} />
              <Route path="/lead/:id" element={<LeadShortLink />} />
              <Route path="*" element={<NotFound />} />
            </Route>
          </Route>
        </Route>
      </Routes>
    </Suspense>
  )
}
