// A screen's first loading is no part of any story, and takes long on a busy machine: it is done before the clock runs.

/** Loads what stands around the staff screens. */
export function loadShell(): Promise<unknown> {
  return import('@/app/staff-routes')
}

/** Loads what stands around the staff screens, and those that show leads. */
export function loadLeadScreens(): Promise<unknown> {
  return Promise.all([
    import('@/app/staff-routes'),
    import('@/features/leads/leads.route'),
    import('@/features/leads/lead-detail.route'),
    import('@/features/inbox/lead-conversation.route'),
    import('@/features/jobs/lead-jobs.route'),
    import('@/features/invoices/lead-invoices.route'),
  ])
}

/** Loads what stands around the staff screens, and those that show jobs. */
export function loadJobScreens(): Promise<unknown> {
  return Promise.all([
    import('@/app/staff-routes'),
    import('@/features/jobs/jobs.route'),
    import('@/features/jobs/job-detail.route'),
    import('@/features/jobs/components/add-job-dialog'),
    import('@/features/jobs/actions/edit-dialog'),
    import('@/features/jobs/changes/change-dialog'),
    import('@/features/invoices/lead-invoices.route'),
  ])
}

/** Loads what stands around the staff screens, and those that show invoices. */
export function loadInvoiceScreens(): Promise<unknown> {
  return Promise.all([
    import('@/app/staff-routes'),
    import('@/features/invoices/invoices.route'),
    import('@/features/invoices/invoice-detail.route'),
    import('@/features/invoices/lead-invoices.route'),
  ])
}

/** Loads what an invitation leads to, and the crew's own screens. */
export function loadCrewScreens(): Promise<unknown> {
  return Promise.all([
    import('@/app/staff-routes'),
    import('@/features/auth/join.route'),
    import('@/features/crew/today.route'),
    import('@/features/crew/field-job.route'),
    import('@/features/crew/outbox-keeper'),
  ])
}

/** Loads what stands around the staff screens, and the schedule with what opens from it. */
export function loadScheduleScreens(): Promise<unknown> {
  return Promise.all([
    import('@/app/staff-routes'),
    import('@/features/schedule/schedule.route'),
    import('@/features/schedule/components/visit-dialog'),
  ])
}

/** Loads what stands around the staff screens, and the dashboard. */
export function loadDashboard(): Promise<unknown> {
  return Promise.all([import('@/app/staff-routes'), import('@/features/dashboard/dashboard.route')])
}

/** Loads what only the demonstration has. */
export function loadDemo(): Promise<unknown> {
  return Promise.all([import('@/app/demo/demo.route'), import('@/ui/toast/demo-refusal')])
}

/** Loads what stands around the staff screens, and the reviews with what opens from them. */
export function loadReviewScreens(): Promise<unknown> {
  return Promise.all([
    import('@/app/staff-routes'),
    import('@/features/reviews/reviews.route'),
    import('@/features/reviews/asked/asked-tab'),
    import('@/features/reviews/report/report-tab'),
    import('@/features/reviews/components/answer-pad'),
    import('@/features/reviews/actions/add-dialog'),
    import('@/features/reviews/actions/import-dialog'),
    import('@/features/reviews/actions/match-dialog'),
    import('@/features/reviews/actions/remove-dialog'),
    import('@/features/reviews/actions/stop-dialog'),
  ])
}

/** Loads what stands around the staff screens, and one's own account. */
export function loadAccount(): Promise<unknown> {
  return Promise.all([
    import('@/app/staff-routes'),
    import('@/features/account/account.route'),
    import('@/features/account/set-up-dialog'),
    import('@/features/account/new-codes-dialog'),
    import('@/features/account/turn-off-dialog'),
  ])
}

/** Loads what stands around the staff screens, and the security administration. */
export function loadAdmin(): Promise<unknown> {
  return Promise.all([import('@/app/staff-routes'), import('@/features/admin/admin.route')])
}

/** Loads what stands around the staff screens, and where a business sees its plan. */
export function loadBilling(): Promise<unknown> {
  return Promise.all([
    import('@/app/staff-routes'),
    import('@/features/billing/billing.route'),
    import('@/features/subscription/subscription-notice'),
    import('@/features/settings/settings.route'),
    import('@/features/settings/billing/billing-tab'),
  ])
}

/** Loads the ways in, with what they ask besides a password. */
export function loadSignIn(): Promise<unknown> {
  return Promise.all([
    import('@/app/staff-routes'),
    import('@/features/auth/login.route'),
    import('@/features/auth/forgotten.route'),
    import('@/features/auth/reset.route'),
    import('@/features/auth/next-step'),
    import('@/features/auth/prove-dialog'),
  ])
}
