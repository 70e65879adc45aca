// The server goes away while somebody types: nothing is lost, and the request is received once.
import { openBusiness } from '../support/business'
import { aCustomer } from '../support/people'
import { expectToast, fillLeadForm, leadFormAt, leadInList, sendLead, sentReference } from '../support/screens'
import { expect, test } from '../support/story'

test('the form waits for the server with every word, and sends the same request again', async ({
  ownHouse: house,
  visitor,
  owner,
}) => {
  const business = await openBusiness(house)
  const customer = aCustomer()
  const page = await visitor(house)
  const keys: (string | undefined)[] = []
  page.on('request', (request) => {
    if (request.url().endsWith('/api/leads/create')) keys.push(request.headers()['idempotency-key'])
  })
  await page.goto(leadFormAt(business.slug))
  await fillLeadForm(page, customer)
  await house.killApi()
  await sendLead(page)
  await expectToast(page, 'Submission Failed', 'Please try again or call us directly.')
  await expect(page.getByText(/Everything you typed is still here/)).toBeVisible()
  await expect(page.getByLabel('Full Name')).toHaveValue(customer.name)
  await expect(page.getByLabel('Service Type')).toHaveValue(customer.service)
  await expect(page.getByLabel('Project Details')).toHaveValue(customer.notes)

  await house.startApi()
  await sendLead(page)
  await sentReference(page)
  expect(keys).toHaveLength(2)
  expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/)
  expect(keys[1]).toBe(keys[0])
  const office = await owner(business)
  await office.goto('/app/leads')
  await expect(office.getByText('Total leads: 1')).toBeVisible()
  await expect(leadInList(office, customer.name)).toHaveCount(1)
})

test('the owner’s list comes back to life by itself', async ({ ownHouse: house, owner }) => {
  const business = await openBusiness(house)
  const page = await owner(business)
  await page.goto('/app/leads')
  const mark = page.getByRole('status', { name: 'Live updates' })
  await expect(mark).toHaveText('LIVE')
  await house.killApi()
  await expect(mark).not.toHaveText('LIVE')
  await house.startApi()
  await expect(mark).toHaveText('LIVE', { timeout: 30_000 })
})
