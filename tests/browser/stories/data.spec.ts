// Export and import: one file for everything, imported by another install that sends nothing until released; and a list of
// customers from another program: preview, import and undo.
import { readFile } from 'node:fs/promises'
import type { Page } from '@playwright/test'
import { readStoredZip } from '../support/zip'
import { findAxeViolations } from '../support/axe'
import { registerBusiness, createLead } from '../support/business'
import { buildCustomer } from '../support/people'
import { drawPicture } from '../support/pictures'
import {
  addPhotos,
  expectToast,
  fillLeadForm,
  getLeadFormPath,
  openLead,
  sendLead,
  readReference,
  signIn,
} from '../support/screens'
import { expect, test } from '../support/fixtures'

type Manifest = {
  slug: string
  name: string
  tables: { name: string; rows: number }[]
  files: { key: string; bytes: number }[]
}

/** Everything, as the browser saves it by one click. */
async function takenAlong(page: Page): Promise<{ name: string; path: string }> {
  await page.goto('/app/settings/data')
  const file = page.waitForEvent('download')
  await page.getByRole('link', { name: 'Download everything' }).click()
  const arrived = await file
  return { name: arrived.suggestedFilename(), path: await arrived.path() }
}

test('data export: imported by another install, which sends nothing until released', async ({
  freshInstall,
  startInstall,
  owner,
  visitor,
}) => {
  const business = await registerBusiness(freshInstall)
  const customer = buildCustomer({ name: 'Maria Lopez' })
  const form = await visitor(freshInstall)
  await form.goto(getLeadFormPath(business.slug))
  await fillLeadForm(form, customer)
  await addPhotos(form, [await drawPicture(form, 'roof.jpg')])
  await sendLead(form)
  await readReference(form)
  const page = await owner(business)
  const { name, path } = await takenAlong(page)

  await test.step('the zip holds sheets, rows, photos and the required files', async () => {
    expect(name).toMatch(new RegExp(`^toolbox-${business.slug}-\\d{4}-\\d\\d-\\d\\d\\.zip$`))
    const files = readStoredZip(await readFile(path))
    expect([...files.keys()].slice(0, 1)).toEqual(['README.txt'])
    expect([...files.keys()].at(-1)).toBe('manifest.json')
    const manifest = JSON.parse(files.get('manifest.json')?.toString() ?? '{}') as Manifest
    expect(manifest).toMatchObject({ slug: business.slug, name: business.owner.orgName })
    expect(manifest.tables.find((table) => table.name === 'lead')?.rows).toBe(1)
    for (const { key, bytes } of manifest.files) expect(files.get(`files/${key}`)?.length, key).toBe(bytes)
    // The photo, large and small.
    expect(manifest.files.length).toBeGreaterThanOrEqual(2)
    expect(files.get('sheets/lead.csv')?.toString()).toContain(customer.name)
    const lead = JSON.parse(files.get('rows/lead.jsonl')?.toString() ?? '{}') as Record<string, unknown>
    expect(lead).toMatchObject({ name: customer.name, notes: customer.notes })
    const all = [...files.values()].map((file) => file.toString('latin1')).join('\n')
    expect(all).not.toContain('$argon2')
  })

  await test.step('after the import everything is there, and a banner says that sending is paused', async () => {
    let answer = ''
    const install = await startInstall({}, async (empty) => {
      answer = await empty.command('import-export', path)
    })
    const password = new RegExp(`${business.owner.email} signs in with (\\S+) `).exec(answer)?.[1] ?? ''
    const there = await visitor(install)
    await there.goto('/login?next=/app/leads')
    await signIn(there, { email: business.owner.email, password })
    await expect(there.getByRole('status', { name: 'Nothing is sent' })).toContainText(
      'This business was brought in as of',
    )
    await openLead(there, customer.name)
    await expect(there.getByText(customer.notes, { exact: true }).first()).toBeVisible()
    const photo = there.getByRole('img', { name: 'Photo 1', exact: true })
    await photo.scrollIntoViewIfNeeded()
    await expect.poll(() => photo.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(0)
    expect(await findAxeViolations(there)).toEqual([])
    expect(await install.command('release-outbox')).toContain('messages are sent again')
    await there.reload()
    await expect(there.getByRole('heading', { level: 1, name: customer.name })).toBeVisible()
    await expect(there.getByRole('status', { name: 'Nothing is sent' })).toHaveCount(0)
  })
})

test('customer import: preview, import and undo', async ({ freshInstall, owner }) => {
  const business = await registerBusiness(freshInstall)
  const known = buildCustomer({ name: 'Ann Lindqvist' })
  await createLead(business, known)
  const list = [
    'Name,Cell,Email,Street,Zip,Service,Colour',
    `Ben Okafor,(312) 555-0171,ben.okafor@home.example,12 Oak St,60614,Roof leak,green`,
    `Ann Lindqvist,${known.phone},,,,,`,
    'Cleo Marsh,no phone,,,,,',
    'Dora Quist,(312) 555-0172,,,,,',
  ].join('\n')
  const page = await owner(business)
  await page.goto('/app/customers')
  const customers = page.getByRole('main').getByRole('link')
  await expect(customers.filter({ hasText: known.name })).toBeVisible()
  await page.getByRole('button', { name: 'Import CSV' }).click()
  const dialog = page.getByRole('dialog', { name: 'Import customers' })
  await dialog
    .getByLabel('Customers file')
    .setInputFiles({ name: 'clients.csv', mimeType: 'text/csv', buffer: Buffer.from(list) })

  await test.step('the preview shows the changes and stores nothing', async () => {
    for (const words of ['2 new', '1 with a request', '1 confirmed', '0 here already', '1 left out'])
      await expect(dialog.getByText(words, { exact: true })).toBeVisible()
    await expect(dialog.getByText(/^Row 4, Cell: /)).toBeVisible()
    await expect(dialog.getByText('Not read: Colour')).toBeVisible()
    expect(await findAxeViolations(page)).toEqual([])
    const answer = await page.request.get('/api/customers')
    expect(await answer.json()).toHaveLength(1)
  })

  await test.step('the import keeps existing customers and sends no messages', async () => {
    await dialog.getByRole('button', { name: 'Import 3 customers' }).click()
    await expectToast(page, 'Customers imported', '2 added, 1 with a request. 1 confirmed.')
    for (const name of ['Ben Okafor', 'Dora Quist', known.name])
      await expect(customers.filter({ hasText: name })).toHaveCount(1)
    await page.goto('/app/leads')
    await openLead(page, 'Ben Okafor')
    await expect(page.getByText('Roof leak').first()).toBeVisible()
    await expect(page.getByText('Automatic reply')).toHaveCount(0)
  })

  await test.step('undo the import', async () => {
    await page.goto('/app/customers')
    await page
      .getByRole('list', { name: 'Imports that can be undone' })
      .getByRole('button', { name: 'Undo import' })
      .click()
    await expectToast(page, 'Import undone', '2 removed.')
    for (const name of ['Ben Okafor', 'Dora Quist']) await expect(customers.filter({ hasText: name })).toHaveCount(0)
    await expect(customers.filter({ hasText: known.name })).toHaveCount(1)
    await page.goto('/app/leads')
    await expect(page.getByRole('link', { name: 'View Details of Ben Okafor' })).toHaveCount(0)
  })
})
