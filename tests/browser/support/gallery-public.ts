// Every public screen in its visibly different states.
import { expect, type Page } from '@playwright/test'
import type { Screen } from './gallery'
import { fillDemoRequest, getLeadFormPath, sendLead, readReference, signIn } from './screens'

const toast = (page: Page) => page.getByRole('region', { name: 'Notifications (F8)' }).getByRole('listitem')

/** The public site and the reference of the API: they follow the device's theme, and site.spec.ts has axe look at them. */
export const SITE_SCREENS: readonly Screen[] = (
  [
    ['landing', '/'],
    ['faq', '/faq'],
    ['privacy', '/privacy'],
    ['terms', '/terms'],
    ['sms-terms', '/sms-terms'],
    ['api-docs', '/docs/api'],
  ] as const
).map(([name, address]) => ({
  name,
  open: async (page) => {
    await page.goto(address)
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  },
}))

/** What anybody may open. */
export const PUBLIC_SCREENS: readonly Screen[] = [
  {
    name: 'login',
    open: async (page) => {
      await page.goto('/login')
      await expect(page.getByRole('button', { name: 'Sign In', exact: true })).toBeVisible()
    },
  },
  {
    name: 'login-refused',
    open: async (page) => {
      await page.goto('/login')
      await signIn(page, { email: 'nobody@home.example', password: 'not a password' })
      await expect(toast(page)).toBeVisible()
    },
  },
  {
    name: 'register-faults',
    open: async (page) => {
      await page.goto('/register')
      await page.getByRole('button', { name: 'Create account' }).click()
      await expect(page.getByText('Full name is required')).toBeVisible()
    },
  },
  {
    name: 'forgot-password',
    open: async (page) => {
      await page.goto('/forgot-password')
      await expect(page.getByRole('button', { name: 'Mail me a link' })).toBeVisible()
    },
  },
  {
    name: 'forgot-password-sent',
    open: async (page) => {
      await page.goto('/forgot-password')
      await page.getByRole('textbox', { name: 'Email' }).fill('ines.torres@home.example')
      await page.getByRole('button', { name: 'Mail me a link' }).click()
      await expect(page.getByText('Check your email')).toBeVisible()
    },
  },
  {
    name: 'reset-password-gone',
    open: async (page) => {
      // From another page, so that it is opened anew.
      await page.goto('/login')
      await page.goto('/reset-password')
      await expect(page.getByRole('heading', { name: 'This link is no longer valid' })).toBeVisible()
    },
  },
  {
    name: 'join',
    open: async (page, { invitation }) => {
      await page.goto(invitation)
      await expect(page.getByRole('button', { name: 'Join', exact: true })).toBeVisible()
    },
  },
  {
    name: 'join-gone',
    open: async (page) => {
      await page.goto('/join/nobody-was-asked-by-this')
      await expect(page.getByRole('link', { name: 'Sign in' })).toBeVisible()
    },
  },
  {
    name: 'checkout-faults',
    open: async (page) => {
      await page.goto('/checkout')
      await page.getByRole('button', { name: 'Request A Demo' }).click()
      await expect(page.getByText('Business name is required')).toBeVisible()
    },
  },
  {
    name: 'checkout-setup',
    open: async (page) => {
      await page.goto('/checkout')
      await fillDemoRequest(page, { orgName: 'Torres Roofing', name: 'Ines Torres', email: 'ines.torres@home.example' })
      await expect(page.getByRole('heading', { level: 1, name: 'Complete Your Setup' })).toBeVisible()
    },
  },
  {
    name: 'lead-form',
    open: async (page, { slug }) => {
      await page.goto(getLeadFormPath(slug))
      await expect(page.getByRole('checkbox')).toBeVisible()
    },
  },
  {
    name: 'lead-form-faults',
    open: async (page, { slug }) => {
      await page.goto(getLeadFormPath(slug))
      await sendLead(page)
      await expect(page.getByText('Name is required')).toBeVisible()
    },
  },
  {
    name: 'quote-form',
    open: async (page, { slug }) => {
      await page.goto(`/quote?org=${slug}`)
      await expect(page.getByRole('checkbox')).toBeVisible()
    },
  },
  {
    name: 'lead-sent',
    open: async (page, { slug }) => {
      await page.goto(getLeadFormPath(slug))
      await page.getByLabel('Full Name').fill('Ines Torres')
      await page.getByLabel('Phone').fill('(773) 555-0188')
      await page.getByLabel('Zip Code').fill('60614')
      await page.getByLabel('Service Type').selectOption('hvac')
      await sendLead(page)
      await readReference(page)
    },
  },
  {
    name: 'quote-received',
    open: async (page, { slug }) => {
      await page.goto(`/quote?org=${slug}`)
      await page.getByLabel('Full Name').fill('Ines Torres')
      await page.getByLabel('Email').fill('ines.torres@home.example')
      await page.getByLabel('Phone').fill('(773) 555-0188')
      await page.getByLabel('Service Type').selectOption('Deck Installation')
      await page.getByRole('button', { name: 'Submit Quote Request' }).click()
      await expect(page.getByRole('heading', { name: 'Quote Request Received!' })).toBeVisible()
    },
  },
]

/** An install without a registered business. */
export const NOT_SET_UP_SCREEN: Screen = {
  name: 'lead-form-not-set-up',
  open: async (page) => {
    await page.goto('/lead')
    await expect(page.getByRole('heading', { name: 'This business is not set up yet' })).toBeVisible()
  },
}
