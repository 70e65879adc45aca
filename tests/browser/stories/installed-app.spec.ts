// Toolbox as an installed app: the browser's installability report, the service worker, and offline starts.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium } from '@playwright/test'
import { registerBusiness, createLead } from '../support/business'
import { readableDeviceData } from '../support/device-data'
import { buildCustomer } from '../support/people'
import { fillLeadForm, getLeadFormPath, findLead, openLead, sendLead, readReference } from '../support/screens'
import { waitForServiceWorker } from '../support/service-worker'
import { expect, test } from '../support/fixtures'

test('app: installable by the browser’s own criteria', async ({ freshInstall, launchOptions }) => {
  const profile = await mkdtemp(join(tmpdir(), 'toolbox-profile-'))
  // A context without a profile on disk counts as a private window, where nothing can be installed.
  const context = await chromium.launchPersistentContext(profile, { ...launchOptions })
  try {
    const page = await context.newPage()
    await page.goto(`${freshInstall.url}/login`)
    await waitForServiceWorker(page)
    const devtools = await context.newCDPSession(page)
    const manifest = await devtools.send('Page.getAppManifest')
    expect(manifest.errors).toEqual([])
    expect(JSON.parse(manifest.data ?? '{}')).toMatchObject({ id: '/app', display: 'standalone' })
    const report = () => devtools.send('Page.getInstallabilityErrors')
    await expect.poll(async () => (await report()).installabilityErrors).toEqual([])
  } finally {
    await context.close()
    await rm(profile, { recursive: true, force: true })
  }
})

test('offline start: shows the last leads and their age', async ({ freshInstall, owner }) => {
  const business = await registerBusiness(freshInstall)
  const customer = buildCustomer()
  const id = await createLead(business, customer)
  const page = await owner(business)
  await page.goto('/app/leads')
  await waitForServiceWorker(page)
  await openLead(page, customer.name)
  await expect(page.getByText(customer.notes, { exact: true }).first()).toBeVisible()
  // Encrypting takes a moment that a page which is left does not have: what was seen last is kept soon after it is seen.
  await expect.poll(() => readableDeviceData(page)).toMatch(new RegExp(`detail\\W+${id}`))
  await page.goto('/app/leads')
  await expect(findLead(page, customer.name)).toBeVisible()

  await page.context().setOffline(true)
  await page.reload()
  await expect(findLead(page, customer.name)).toBeVisible()
  await expect(page.getByText('You are offline. What you see was saved on this device.')).toBeVisible()
  await expect(page.getByRole('main').getByText(/^Offline copy, as of \d+:\d\d [AP]M$/)).toBeVisible()
  await expect(page.getByRole('status', { name: 'Live updates' })).toHaveText('OFFLINE')
  await page.getByRole('searchbox').fill(customer.name.slice(0, 4))
  await expect(findLead(page, customer.name)).toBeVisible()
  await openLead(page, customer.name)
  await expect(page.getByText(customer.notes, { exact: true }).first()).toBeVisible()

  await page.context().setOffline(false)
  await expect(page.getByRole('status', { name: 'Live updates' })).toHaveText('LIVE', { timeout: 30_000 })
  await expect(page.getByText('You are offline.')).toBeHidden()
})

test('lead form offline: opens, keeps the input, and sends later', async ({ sharedBusiness, visitor }) => {
  const page = await visitor(sharedBusiness.install)
  const customer = buildCustomer()
  await page.goto(getLeadFormPath(sharedBusiness.slug))
  await waitForServiceWorker(page)
  await page.context().setOffline(true)
  await page.reload()
  await fillLeadForm(page, customer)
  await sendLead(page)
  await expect(page.getByText(/You seem to be offline\. Everything you typed is still here/)).toBeVisible()
  await page.reload()
  await expect(page.getByLabel('Full Name')).toHaveValue(customer.name)
  await expect(page.getByLabel('Project Details')).toHaveValue(customer.notes)
  await page.context().setOffline(false)
  await sendLead(page)
  await readReference(page)
})
