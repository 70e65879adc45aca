// The owner's screens about the business: account, team, security, billing, data, API keys and webhooks.
import { expect } from '@playwright/test'
import { openSettings, type Screen } from './gallery'

export const ADMIN_SCREENS: readonly Screen[] = [
  {
    name: 'account',
    open: async (page) => {
      await page.goto('/app/account')
      await page.getByRole('button', { name: 'Change password' }).click()
      await expect(page.getByRole('textbox', { name: 'Current password' })).toBeVisible()
      await expect(page.getByText('This device', { exact: true })).toBeVisible()
    },
  },
  {
    name: 'account-second-step',
    open: async (page) => {
      await page.goto('/app/account')
      await page.getByRole('button', { name: 'Turn on' }).click()
      await expect(page.getByRole('img', { name: 'QR code for your authenticator app' })).toBeVisible()
    },
  },
  {
    name: 'admin',
    open: async (page) => {
      await page.goto('/app/admin')
      await expect(page.getByRole('region', { name: 'Monitoring' })).toBeVisible()
      await expect(page.getByText('/ 100')).toBeVisible()
      await page.getByRole('button', { name: 'Check for tampering' }).click()
      await expect(page.getByText('No one has altered the log')).toBeVisible()
      await page.getByRole('button', { name: 'View Audit Log' }).click()
      await expect(page.getByRole('table', { name: /^Audit log/ })).toBeVisible()
      // What is scrolled half under a bar counts as too small to press.
      await page.evaluate(() => scrollTo(0, 0))
    },
  },
  {
    name: 'admin-clients',
    open: async (page) => {
      await page.goto('/app/admin?tab=clients')
      await expect(page.getByText('Active', { exact: true })).toBeVisible()
    },
  },
  {
    name: 'admin-reset-password',
    open: async (page) => {
      await page.goto('/app/admin?tab=clients')
      await page
        .getByRole('button', { name: /^Reset Password/ })
        .first()
        .click()
      await expect(page.getByRole('dialog').getByRole('button', { name: 'Send the link' })).toBeVisible()
    },
  },
  {
    name: 'people-invite',
    open: async (page) => {
      await page.goto('/app/settings/people')
      await page.getByRole('button', { name: 'Invite someone' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Invite', exact: true }).click()
      await expect(page.getByText('Name is required')).toBeVisible()
    },
  },
  { name: 'settings-developers', open: (page) => openSettings(page, 'developers', 'Keys for other programs') },
  {
    name: 'developers-key',
    open: async (page) => {
      await openSettings(page, 'developers', 'Keys for other programs')
      await page.getByRole('button', { name: 'Make a key' }).click()
      await expect(page.getByRole('form', { name: 'Key' })).toBeVisible()
    },
  },
  {
    name: 'developers-webhook',
    open: async (page) => {
      await openSettings(page, 'developers', 'Keys for other programs')
      await page.getByRole('button', { name: 'Add a webhook' }).click()
      await expect(page.getByRole('form', { name: 'Webhook' })).toBeVisible()
    },
  },
  {
    name: 'customers-import',
    open: async (page) => {
      await page.goto('/app/customers')
      await page.getByRole('button', { name: 'Import CSV' }).click()
      await expect(
        page.getByRole('dialog', { name: 'Import customers' }).getByRole('button', { name: 'Choose a file' }),
      ).toBeVisible()
    },
  },
  {
    name: 'billing',
    open: async (page) => {
      await page.goto('/app/billing')
      await expect(page.getByText('Complete Package')).toBeVisible()
      await expect(page.getByText('No invoices yet')).toBeVisible()
    },
  },
  {
    name: 'settings-billing',
    open: async (page) => {
      await page.goto('/app/settings/subscription')
      await expect(page.getByText('Complete Package')).toBeVisible()
    },
  },
]
