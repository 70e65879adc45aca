// Every screen in its visibly different states, for accessibility checks and screenshots.
import { expect, type Page } from '@playwright/test'
import { openLead, openQuickAction, openTab } from './screens'

export type ThemeName = 'toolbox' | 'toolbox-day'
export const THEMES = ['toolbox', 'toolbox-day'] as const satisfies readonly ThemeName[]

/** From the next page on, this theme. */
export async function setTheme(page: Page, theme: ThemeName): Promise<void> {
  await page.addInitScript((name) => localStorage.setItem('toolbox.theme', name), theme)
}

/** `invitation` is the path of an invitation link. */
export type GalleryData = { slug: string; leadName: string; invitation: string }
export type Screen = { name: string; open: (page: Page, shown: GalleryData) => Promise<void> }

export async function openSettings(page: Page, topic: string, heading: string): Promise<void> {
  await page.goto(`/app/settings/${topic}`)
  await expect(page.getByRole('heading', { level: 2, name: heading })).toBeVisible()
}

async function openLeadAction(
  page: Page,
  leadName: string,
  action: 'Generate Estimate PDF' | 'Mark as Paid',
): Promise<void> {
  await page.goto('/app/leads')
  await openLead(page, leadName)
  await openQuickAction(page, action)
  await expect(page.getByRole('dialog', { name: action }).getByLabel('Amount')).toBeVisible()
}

/** An estimate and a partial payment for the open lead. */
async function quoteAndPay(page: Page): Promise<void> {
  const { origin, pathname } = new URL(page.url())
  const lead = `/api/leads/${pathname.split('/').at(-1) ?? ''}`
  for (const [path, data] of [
    ['estimate', { quotedTotal: 1250 }],
    ['paid', { amount: 350, method: 'check', partial: true }],
  ] as const) {
    const answer = await page.request.post(`${lead}/${path}`, {
      data,
      headers: { Origin: origin, 'X-Toolbox-Client': 'story' },
    })
    expect(answer.status(), path).toBe(200)
  }
}

/** What the owner opens. */
export const STAFF_SCREENS: readonly Screen[] = [
  {
    name: 'dashboard',
    open: async (page) => {
      await page.goto('/app')
      await expect(page.getByRole('heading', { level: 2, name: 'Automation Performance' })).toBeVisible()
    },
  },
  {
    name: 'leads',
    open: async (page, { leadName }) => {
      await page.goto('/app/leads')
      await expect(page.getByRole('link', { name: `View Details of ${leadName}` })).toBeVisible()
      await expect(page.getByRole('status', { name: 'Live updates' })).toHaveText('LIVE')
    },
  },
  {
    name: 'leads-none-found',
    open: async (page) => {
      await page.goto('/app/leads?q=nobody')
      await expect(page.getByText('No leads found matching your search.')).toBeVisible()
    },
  },
  {
    name: 'lead-detail',
    open: async (page, { leadName }) => {
      await page.goto('/app/leads')
      await openLead(page, leadName)
      await expect(page.getByText('Not sent: SMS is not set up', { exact: true }).first()).toBeVisible()
      await expect(page.getByText(/^Saved as /).first()).toBeVisible()
    },
  },
  {
    name: 'lead-quoted',
    open: async (page, { leadName }) => {
      await page.goto('/app/leads')
      await openLead(page, leadName)
      await quoteAndPay(page)
      await openTab(page, 'Estimate and money')
      await expect(page.getByRole('list', { name: 'Payments' })).toBeVisible()
      await expect(page.getByRole('heading', { name: /^EST-/ }).first()).toBeVisible()
    },
  },
  { name: 'estimate-dialog', open: (page, { leadName }) => openLeadAction(page, leadName, 'Generate Estimate PDF') },
  {
    name: 'estimate-lines',
    open: async (page, { leadName }) => {
      await openLeadAction(page, leadName, 'Generate Estimate PDF')
      await page.getByRole('switch', { name: 'Line items' }).check()
      const dialog = page.getByRole('dialog')
      await dialog.getByRole('button', { name: 'Add option' }).click()
      await dialog.getByRole('button', { name: /^(?:Send by|Generate Estimate PDF)/ }).click()
      await expect(dialog.getByText('Say what it is').first()).toBeVisible()
    },
  },
  {
    name: 'payment-dialog',
    open: async (page, { leadName }) => {
      await openLeadAction(page, leadName, 'Mark as Paid')
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel('Amount').fill('100')
      await dialog.getByRole('button', { name: 'Mark as Paid' }).click()
      await expect(dialog.getByText(/would stay open\.$/)).toBeVisible()
    },
  },
  {
    name: 'invoices-none',
    open: async (page) => {
      await page.goto('/app/invoices')
      await expect(page.getByRole('heading', { name: 'No invoices yet' })).toBeVisible()
    },
  },
  {
    name: 'reviews-none',
    open: async (page) => {
      await page.goto('/app/reviews')
      await expect(page.getByRole('heading', { name: 'No reviews yet' })).toBeVisible()
    },
  },
  {
    name: 'reviews-asked-none',
    open: async (page) => {
      await page.goto('/app/reviews?tab=asked')
      await expect(page.getByRole('heading', { name: 'No one asked yet' })).toBeVisible()
    },
  },
  {
    name: 'review-add',
    open: async (page) => {
      await page.goto('/app/reviews')
      await page.getByRole('button', { name: 'Add review' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Add review' }).click()
      await expect(page.getByText('Enter a rating from 1 to 5, like 5 or 4.5')).toBeVisible()
    },
  },
  {
    name: 'review-request',
    open: async (page, { leadName }) => {
      await page.goto('/app/leads')
      await openLead(page, leadName)
      await openQuickAction(page, 'Request Review')
      await expect(
        page.getByRole('dialog', { name: 'Request Review' }).getByRole('button', { name: 'Close' }).first(),
      ).toBeVisible()
      await expect(page.getByRole('dialog').getByRole('status', { name: 'Loading' })).toHaveCount(0)
    },
  },
  {
    name: 'invoice-draft',
    open: async (page, { leadName }) => {
      await page.goto('/app/leads')
      await openLead(page, leadName)
      await openTab(page, 'Estimate and money')
      await page.getByRole('button', { name: 'New invoice' }).click()
      await page
        .getByRole('dialog')
        .getByRole('radio', { name: /^An amount/ })
        .check()
      await page.getByLabel('What for').fill('Service call')
      await page.getByRole('textbox', { name: 'Amount' }).fill('95')
      await page.getByRole('button', { name: 'Make draft' }).click()
      await expect(page.getByRole('heading', { level: 1, name: 'Draft invoice' })).toBeVisible()
      await page.getByRole('button', { name: 'More for this invoice' }).click()
      await page.getByRole('button', { name: 'Edit draft' }).click()
      await expect(
        page.getByRole('dialog', { name: 'Edit draft' }).getByRole('textbox', { name: 'What', exact: true }),
      ).toHaveValue('Service call')
    },
  },
  {
    name: 'settings-organization',
    open: async (page) => {
      await openSettings(page, 'hours', 'Business hours')
      await page
        .getByRole('group', { name: 'Business hours', exact: true })
        .getByRole('button', { name: /^Monday/ })
        .click()
      await expect(page.getByLabel('Monday opens')).toBeVisible()
    },
  },
  {
    name: 'settings-time-zones',
    open: async (page) => {
      await openSettings(page, 'business', 'Business info')
      await page.getByRole('button', { name: /^Time zone/ }).click()
      await expect(page.getByRole('list', { name: 'Time zones' })).toBeVisible()
    },
  },
  { name: 'settings-automation', open: (page) => openSettings(page, 'missed-calls', 'Missed calls') },
  {
    name: 'settings-switch-preview',
    open: async (page) => {
      await openSettings(page, 'automations', 'Automations')
      const reports = page.getByRole('switch', { name: /^KPI Reporting/ })
      if (await reports.isChecked()) await reports.click()
      await expect(reports).not.toBeChecked()
      await reports.click()
      await expect(page.getByRole('dialog').getByText(/because of it/)).toBeVisible()
    },
  },
  {
    name: 'settings-communications',
    open: async (page) => {
      await openSettings(page, 'templates/sms', 'Auto-Reply SMS')
      await page
        .getByRole('textbox', { name: 'Message' })
        .first()
        .fill('Hi {{ custmerName }}, {{ businessName }} here. Reply STOP to opt out.')
      await expect(page.getByRole('status', { name: 'Faults in this wording' })).toBeVisible()
    },
  },
  {
    name: 'settings-control-panel',
    open: async (page) => {
      await openSettings(page, 'system-status', 'System Status')
      await page
        .getByRole('list', { name: 'Tools' })
        .getByText(/ checks?$/)
        .first()
        .click()
      await expect(
        page.getByRole('list', { name: 'Tools' }).getByText('Background work', { exact: true }).first(),
      ).toBeVisible()
    },
  },
  {
    name: 'lead-not-found',
    open: async (page) => {
      await page.goto('/app/leads/00000000-0000-7000-8000-000000000000')
      await expect(page.getByRole('heading', { name: 'Lead Not Found' })).toBeVisible()
    },
  },
  {
    name: 'jobs-none',
    open: async (page) => {
      await page.goto('/app/jobs')
      await expect(page.getByRole('heading', { name: 'No jobs yet' })).toBeVisible()
    },
  },
  {
    name: 'job-add',
    open: async (page) => {
      await page.goto('/app/jobs')
      await page.getByRole('button', { name: 'Add job' }).first().click()
      await expect(
        page.getByRole('dialog').getByRole('list', { name: 'Leads' }).getByRole('button').first(),
      ).toBeVisible()
    },
  },
  {
    name: 'job-not-found',
    open: async (page) => {
      await page.goto('/app/jobs/00000000-0000-7000-8000-000000000000')
      await expect(page.getByRole('heading', { name: 'Job Not Found' })).toBeVisible()
    },
  },
  {
    name: 'page-not-found',
    open: async (page) => {
      await page.goto('/app/nowhere')
      await expect(page.getByRole('heading', { name: 'Page Not Found' })).toBeVisible()
    },
  },
  {
    name: 'menu',
    open: async (page, { leadName }) => {
      await page.goto('/app/leads')
      await expect(page.getByRole('link', { name: `View Details of ${leadName}` })).toBeVisible()
      const more = page.getByRole('button', { name: 'More', exact: true })
      await ((await more.isVisible()) ? more : page.getByRole('button', { name: 'Account and display' })).click()
      await expect(page.getByRole('radio', { name: 'System', exact: true }).filter({ visible: true })).toBeVisible()
    },
  },
]
