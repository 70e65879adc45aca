// Staff routes with their layout. Screens are lazy.
import { type ReactNode, Suspense } from 'react'
import { Navigate, Outlet, Route, Routes, useLocation, useOutletContext, useParams } from 'react-router-dom'
import type { ConversationRouteProps } from '@/domain/message'
import { isDemoMode } from '@/lib/demo'
import { paths } from '@/lib/paths'
import { useCurrentUser } from '@/features/session/use-session'
import { lazyScreen } from './lazy-screen'
import { Component as StaffShell } from './shells/staff-shell'

const Dashboard = lazyScreen(() => import('@/features/dashboard/dashboard.route'))
const GuidedStart = lazyScreen(() => import('@/features/guided-start/guided-start.route'))
const Today = lazyScreen(() => import('@/features/crew/today.route'))
const FieldJob = lazyScreen(() => import('@/features/crew/field-job.route'))
const Leads = lazyScreen(() => import('@/features/leads/leads.route'))
const LeadDetail = lazyScreen(() => import('@/features/leads/lead-detail.route'))
const Jobs = lazyScreen(() => import('@/features/jobs/jobs.route'))
const Schedule = lazyScreen(() => import('@/features/schedule/schedule.route'))
const JobDetail = lazyScreen(() => import('@/features/jobs/job-detail.route'))
const Invoices = lazyScreen(() => import('@/features/invoices/invoices.route'))
const Payments = lazyScreen(() => import('@/features/invoices/payments.route'))
const Recovered = lazyScreen(() => import('@/features/recovered/recovered.route'))
const InvoiceDetail = lazyScreen(() => import('@/features/invoices/invoice-detail.route'))
const LeadInvoices = lazyScreen(() => import('@/features/invoices/lead-invoices.route'))
const LeadJobs = lazyScreen(() => import('@/features/jobs/lead-jobs.route'))
const ScheduleLead = lazyScreen(() => import('@/features/jobs/schedule-lead.route'))
const Reviews = lazyScreen(() => import('@/features/reviews/reviews.route'))
const Customers = lazyScreen(() => import('@/features/customers/customers.route'))
const CustomerRecord = lazyScreen(() => import('@/features/customers/customer.route'))
const Account = lazyScreen(() => import('@/features/account/account.route'))
const Billing = lazyScreen(() => import('@/features/billing/billing.route'))
const Settings = lazyScreen(() => import('@/features/settings/settings.route'))
const Admin = lazyScreen(() => import('@/features/admin/admin.route'))
const OutboxSync = lazyScreen(() => import('@/features/crew/outbox-sync'))
const PushSync = lazyScreen(() => import('@/pwa/push-sync'))
const Inbox = lazyScreen(() => import('@/features/inbox/inbox.route'))
const LeadConversation = lazyScreen(() => import('@/features/inbox/lead-conversation.route'))
const NotFound = lazyScreen(() => import('./not-found.route'))

/** Start page by role. */
function Start() {
  const { role } = useCurrentUser()
  return role === 'crew' ? <Navigate to={paths.today} replace /> : <Dashboard />
}

const LEAD_SLOTS = { conversation: LeadConversation, jobs: LeadJobs, invoices: LeadInvoices } as const

/** The part of another feature that the lead page shows here. */
function LeadSlot() {
  const { slot } = useOutletContext<ConversationRouteProps>()
  const Screen = LEAD_SLOTS[slot]
  return <Screen />
}

/** `/lead/:id`: older path of the lead page. */
function LeadShortLink() {
  const { id = '' } = useParams()
  const { search } = useLocation()
  return <Navigate to={`${paths.lead(id)}${search}`} replace />
}

/** Background tasks of staff screens: push address, notification taps, outbox. Not in the demonstration. */
function WithAlerts() {
  return (
    <>
      <Outlet />
      {!isDemoMode() && (
        <Suspense fallback={null}>
          <PushSync />
          <OutboxSync />
        </Suspense>
      )}
    </>
  )
}

type StaffRoutesProps = { notice?: ReactNode }

export function Component({ notice }: StaffRoutesProps) {
  return (
    <Routes>
      <Route element={<WithAlerts />}>
        <Route element={<StaffShell notice={notice} />}>
          {/* Root of the demonstration. */}
          <Route path="/" element={<Start />} />
          <Route path="/app" element={<Start />} />
          <Route path="/app/start" element={<GuidedStart />} />
          <Route path="/app/leads" element={<Leads />}>
            <Route index element={<ScheduleLead />} />
          </Route>
          <Route path="/app/leads/:id" element={<LeadDetail />}>
            <Route index element={<LeadSlot />} />
          </Route>
          <Route path="/app/today" element={<Today />} />
          <Route path="/app/today/:id" element={<FieldJob />} />
          <Route path="/app/schedule" element={<Schedule />} />
          <Route path="/app/jobs" element={<Jobs />} />
          <Route path="/app/jobs/:id" element={<JobDetail />}>
            <Route index element={<LeadInvoices />} />
          </Route>
          <Route path="/app/invoices" element={<Invoices />} />
          <Route path="/app/payments" element={<Payments />} />
          <Route path="/app/recovered" element={<Recovered />} />
          <Route path="/app/invoices/:id" element={<InvoiceDetail />} />
          <Route path="/app/reviews" element={<Reviews />} />
          <Route path="/app/customers" element={<Customers />} />
          <Route path="/app/customers/:id" element={<CustomerRecord />} />
          <Route path="/app/inbox/:customerId?" element={<Inbox />} />
          <Route path="/app/account" element={<Account />} />
          <Route path="/app/settings/:topic?/:part?" element={<Settings />} />
          <Route path="/app/billing" element={<Billing />} />
          <Route path="/app/admin" element={<Admin />} />
          <Route path="/lead/:id" element={<LeadShortLink />} />
          <Route path="*" element={<NotFound />} />
        </Route>
      </Route>
    </Routes>
  )
}
