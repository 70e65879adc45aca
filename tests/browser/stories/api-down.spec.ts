// Server outage while a form is filled in: the input is kept, and the request is received once.
import { registerBusiness } from '../support/business'
import { buildCustomer } from '../support/people'
import { expectToast, fillLeadForm, getLeadFormPath, findLead, sendLead, readReference } from '../support/screens'
import { expect, test } from '../support/fixtures'

test('server down while typing: the form keeps its input and resends the same request', async ({
  ownInstall: install,
  visitor,
  owner,
}) => {
  const business = await registerBusiness(install)
  const customer = buildCustomer()
  const page = await visitor(install)
  const keys: (string | undefined)[] = []
  page.on('request', (request) => {
    if (request.url().endsWith('/api/leads/create')) keys.push(request.headers()['idempotency-key'])
  })
  await page.goto(getLeadFormPath(business.slug))
  await fillLeadForm(page, customer)
  await install.killApi()
  await sendLead(page)
  await expectToast(page, 'Submission Failed', 'Please try again or call us directly.')
  await expect(page.getByText(/Everything you typed is still here/)).toBeVisible()
  await expect(page.getByLabel('Full Name')).toHaveValue(customer.name)
  await expect(page.getByLabel('Service Type')).toHaveValue(customer.service)
  await expect(page.getByLabel('Project Details')).toHaveValue(customer.notes)

  await install.startApi()
  await sendLead(page)
  await readReference(page)
  expect(keys).toHaveLength(2)
  expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/)
  expect(keys[1]).toBe(keys[0])
  const office = await owner(business)
  await office.goto('/app/leads')
  await expect(office.getByText('Total leads: 1')).toBeVisible()
  await expect(findLead(office, customer.name)).toHaveCount(1)
})

test('server down: the owner’s list recovers without a reload', async ({ ownInstall: install, owner }) => {
  const business = await registerBusiness(install)
  const page = await owner(business)
  await page.goto('/app/leads')
  const mark = page.getByRole('status', { name: 'Live updates' })
  await expect(mark).toHaveText('LIVE')
  await install.killApi()
  await expect(mark).not.toHaveText('LIVE')
  await install.startApi()
  await expect(mark).toHaveText('LIVE', { timeout: 30_000 })
})
