// First load of screens, outside the test timeout.

export function loadShell(): Promise<unknown> {
  return import('@/app/staff-routes')
}

export function loadLeadScreens(): Promise<unknown> {
  return Promise.all([
    import('@/app/staff-routes'),
    import('@/features/leads/leads.route'),
    import('@/features/leads/filters/lead-filter-bar'),
    import('@/features/leads/lead-detail.route'),
    import('@/features/leads/components/history-tab'),
    import('@/features/inbox/lead-conversation.route'),
    import('@/features/jobs/lead-jobs.route'),
    import('@/features/invoices/lead-invoices.route'),
  ])
}

export function loadJobScreens(): Promise<unknown> {
  return Promise.all([
    import('@/app/staff-routes'),
    import('@/features/jobs/jobs.route'),
    import('@/features/jobs/job-detail.route'),
    import('@/features/jobs/components/timeline-card'),
    import('@/features/jobs/components/automation-card'),
    import('@/features/jobs/components/add-job-dialog'),
    import('@/features/jobs/actions/edit-dialog'),
    import('@/features/jobs/changes/change-order-dialog'),
    import('@/features/invoices/lead-invoices.route'),
  ])
}

export function loadInvoiceScreens(): Promise<unknown> {
  return Promise.all([
    import('@/app/staff-routes'),
    import('@/features/invoices/invoices.route'),
    import('@/features/invoices/invoice-detail.route'),
    import('@/features/invoices/lead-invoices.route'),
  ])
}

export function loadCrewScreens(): Promise<unknown> {
  return Promise.all([
    import('@/app/staff-routes'),
    import('@/features/auth/join.route'),
    import('@/features/crew/today.route'),
    import('@/features/crew/field-job.route'),
    import('@/features/crew/outbox-sync'),
  ])
}

export function loadScheduleScreens(): Promise<unknown> {
  return Promise.all([
    import('@/app/staff-routes'),
    import('@/features/schedule/schedule.route'),
    import('@/features/schedule/components/visit-dialog'),
  ])
}

export function loadDashboard(): Promise<unknown> {
  return Promise.all([
    import('@/app/staff-routes'),
    import('@/features/dashboard/dashboard.route'),
    import('@/features/dashboard/components/figure-panels'),
    import('@/features/guided-start/setup-list'),
    import('@/features/worklist/actions/assign-sheet'),
    import('@/features/worklist/actions/snooze-sheet'),
  ])
}

export function loadDemo(): Promise<unknown> {
  return Promise.all([import('@/app/demo/demo.route'), import('@/ui/toast/demo-refusal')])
}

export function loadReviewScreens(): Promise<unknown> {
  return Promise.all([
    import('@/app/staff-routes'),
    import('@/features/reviews/reviews.route'),
    import('@/features/reviews/requests/review-requests-tab'),
    import('@/features/reviews/report/report-tab'),
    import('@/features/reviews/components/reply-editor'),
    import('@/features/reviews/actions/add-dialog'),
    import('@/features/reviews/actions/import-dialog'),
    import('@/features/reviews/actions/match-dialog'),
    import('@/features/reviews/actions/remove-dialog'),
    import('@/features/reviews/actions/stop-dialog'),
  ])
}

export function loadAccount(): Promise<unknown> {
  return Promise.all([
    import('@/app/staff-routes'),
    import('@/features/account/account.route'),
    import('@/features/account/two-factor-setup-dialog'),
    import('@/features/account/new-recovery-codes-dialog'),
    import('@/features/account/two-factor-off-dialog'),
  ])
}

export function loadAdmin(): Promise<unknown> {
  return Promise.all([import('@/app/staff-routes'), import('@/features/admin/admin.route')])
}

export function loadBilling(): Promise<unknown> {
  return Promise.all([
    import('@/app/staff-routes'),
    import('@/features/billing/billing.route'),
    import('@/features/subscription/subscription-notice'),
    import('@/features/settings/settings.route'),
    import('@/features/settings/pages/topic-page'),
    import('@/features/settings/billing/subscription-page'),
  ])
}

export function loadSignIn(): Promise<unknown> {
  return Promise.all([
    import('@/app/staff-routes'),
    import('@/features/auth/login.route'),
    import('@/features/auth/forgot-password.route'),
    import('@/features/auth/reset-password.route'),
    import('@/features/auth/next-step'),
    import('@/features/auth/reauth-dialog'),
  ])
}
