// The owner's screens once there are crews, jobs and an invoice, and those of the demonstration.
import { expect, type Page } from '@playwright/test'
import { openSettings, type Screen } from './gallery'
import { nextWorkingDays } from './seed-week'

/** What the owner opens once there are crews, jobs and an invoice. Each of them is looked over by axe in its own story. */
export const WORK_SCREENS: readonly Screen[] = [
  {
    name: 'today',
    open: async (page) => {
      await page.goto('/app/today')
      await expect(page.getByRole('button', { name: 'On my way' })).toBeVisible()
    },
  },
  {
    name: 'job-on-site',
    open: async (page) => {
      await page.goto('/app/today')
      await page.getByRole('region', { name: 'Next job' }).getByRole('link', { name: 'Grace Lindholm' }).click()
      await expect(page.getByRole('heading', { level: 2, name: 'Photos' })).toBeVisible()
    },
  },
  ...(['day', 'week', 'month'] as const).map((view) => ({
    name: `schedule-${view}`,
    open: async (page: Page) => {
      await page.goto(`/app/schedule?view=${view}&date=${nextWorkingDays()[0]}`)
      await expect(
        page.getByRole('button', { name: view === 'month' ? /^Show Mon|Grace Lindholm/ : /Grace Lindholm/ }).first(),
      ).toBeVisible()
    },
  })),
  {
    name: 'jobs',
    open: async (page) => {
      await page.goto('/app/jobs')
      await expect(page.getByRole('list', { name: 'Jobs, newest first' }).getByRole('listitem').first()).toBeVisible()
    },
  },
  {
    name: 'job-detail',
    open: async (page) => {
      await page.goto('/app/jobs')
      await page.getByRole('list', { name: 'Jobs, newest first' }).getByRole('link', { name: 'Ines Torres' }).click()
      await expect(page.getByRole('list', { name: 'Steps of this job' })).toBeVisible()
    },
  },
  {
    name: 'leads-board',
    open: async (page) => {
      await page.goto('/app/leads')
      await page.getByRole('group', { name: 'View' }).getByRole('button', { name: 'Board' }).click()
      await expect(page.getByRole('region', { name: 'New', exact: true })).toBeVisible()
    },
  },
  {
    name: 'customers',
    open: async (page) => {
      await page.goto('/app/customers')
      await expect(page.getByRole('link', { name: /^Maria Lopez/ }).first()).toBeVisible()
    },
  },
  {
    name: 'customer',
    open: async (page) => {
      await page.goto('/app/customers')
      await page
        .getByRole('link', { name: /^Maria Lopez/ })
        .first()
        .click()
      await expect(page.getByRole('heading', { level: 2, name: 'Money' })).toBeVisible()
    },
  },
  {
    name: 'invoices',
    open: async (page) => {
      await page.goto('/app/invoices')
      await expect(page.getByText('INV-1001').first()).toBeVisible()
    },
  },
  {
    name: 'invoice',
    open: async (page) => {
      await page.goto('/app/invoices')
      await page
        .getByRole('main')
        .getByRole('link', { name: /Grace Lindholm|INV-1001/ })
        .first()
        .click()
      await expect(page.getByRole('heading', { level: 1, name: 'INV-1001' })).toBeVisible()
    },
  },
  {
    name: 'reviews',
    open: async (page) => {
      await page.goto('/app/reviews')
      await expect(page.getByRole('list', { name: 'Reviews, newest first' }).getByRole('article').first()).toBeVisible()
    },
  },
  {
    name: 'reviews-report',
    open: async (page) => {
      await page.goto('/app/reviews?tab=report')
      await expect(page.getByRole('heading', { level: 2 }).first()).toBeVisible()
    },
  },
  { name: 'settings-card-payments', open: (page) => openSettings(page, 'card-payments', 'Card payments') },
]

/** What the demonstration shows to everybody. */
export const DEMO_SCREENS: readonly Screen[] = (
  [
    ['dashboard', '/demo', 'Automation Dashboard'],
    ['leads', '/demo/app/leads', 'Automated Leads Tracker'],
    ['jobs', '/demo/app/jobs', 'Job Tracker'],
    ['reviews', '/demo/app/reviews', 'Reviews Management'],
    ['recovered', '/demo/app/recovered', 'Recovered money'],
    ['automation', '/demo/app/settings/automations', 'Automations'],
    ['control-panel', '/demo/app/settings/system-status', 'System status'],
  ] as const
).map(([name, address, heading]) => ({
  name: `demo-${name}`,
  open: async (page) => {
    await page.goto(address)
    await expect(page.getByRole('heading', { level: 1, name: heading })).toBeVisible({ timeout: 45_000 })
    await expect(page.getByRole('status', { name: 'Loading' })).toHaveCount(0)
  },
}))
