import { type Locator, type Page } from '@playwright/test'
import { openBusiness } from '../support/business'
import { aCustomer } from '../support/people'
import { expect, test } from '../support/story'
const card = (page: Page, title: string): Locator => page.locator('section').filter({ has: page.getByRole('heading', { level: 2, name: title, exact: true }) })
for (const theme of ['toolbox', 'toolbox-day'] as const) {
  test(`shots ${theme}`, async ({ connected, owner, visitor, isMobile }) => {
    test.setTimeout(180_000)
    const { house } = connected
    const where = `/tmp/shots/${isMobile ? 'phone' : 'desk'}-${theme === 'toolbox' ? 'dark' : 'day'}`
    const business = await openBusiness(house)
    const page = await owner(business)
    await page.addInitScript((name) => localStorage.setItem('toolbox.theme', name), theme)
    const shot = async (of: Page, name: string, fullPage = false) => { await of.waitForTimeout(400); await of.screenshot({ path: `${where}-${name}.png`, fullPage }) }
    const put = async (data: object) => {
      const answer = await page.request.post('/api/jobs', { data, headers: { Origin: house.url } })
      expect(answer.status(), await answer.text()).toBe(201)
      return ((await answer.json()) as { id: string }).id
    }
    await page.request.patch(`/api/org/${business.orgId}/settings`, { data: { estimates: { taxRates: [{ name: 'Sales tax', rate: 8.25 }], defaultTax: 'Sales tax' } }, headers: { Origin: house.url } })
    const { name, phone, email } = aCustomer({ name: 'Nora Field' })
    const bare = await put({ customer: { name, phone, email }, service: 'plumbing' })
    await page.goto(`/app/jobs/${bare}`)
    await card(page, 'Change orders').scrollIntoViewIfNeeded()
    await shot(page, '0-nothing-agreed')
    const id = await put({ customer: { name, phone, email }, service: 'plumbing', value: 1250, description: 'New bathroom sink and faucet' })
    await page.goto(`/app/jobs/${id}`)
    await card(page, 'Change orders').getByRole('button').scrollIntoViewIfNeeded()
    await shot(page, '1-empty')
    await card(page, 'Change orders').getByRole('button', { name: 'Add change order' }).click()
    const sheet = page.getByRole('dialog', { name: 'Add a change order' })
    await sheet.getByLabel('What came up').fill('Rotten subfloor under the tub')
    await sheet.getByRole('textbox', { name: 'What', exact: true }).fill('Tear out and replace the subfloor')
    await sheet.getByLabel('Quantity').fill('32')
    await sheet.getByLabel('Price each').fill('9.50')
    await shot(page, '2-dialog-top')
    await sheet.getByText('New total').scrollIntoViewIfNeeded()
    await sheet.getByText('Agreed until now').waitFor()
    await shot(page, '3-dialog-sums')
    await sheet.getByText('Unit, tax, discount and more').click()
    await shot(page, '4-dialog-more')
    await sheet.getByRole('button', { name: 'Send change order' }).scrollIntoViewIfNeeded()
    await shot(page, '5-dialog-foot')
    await sheet.getByLabel('Quantity').fill('')
    await sheet.getByRole('button', { name: 'Send change order' }).click()
    await shot(page, '6-dialog-fault')
    await sheet.getByLabel('Quantity').fill('32')
    await sheet.getByRole('button', { name: 'Send change order' }).click()
    await expect(card(page, 'Change orders').getByText('Open', { exact: true })).toBeVisible()
    await card(page, 'Change orders').scrollIntoViewIfNeeded()
    await shot(page, '7-one-open')
    const [order] = (await (await page.request.get(`/api/jobs/${id}/change-orders`)).json()) as { link: string }[]
    const visit = await visitor(house)
    if (theme === 'toolbox') await visit.emulateMedia({ colorScheme: 'dark' })
    await visit.goto(new URL(order?.link ?? '').pathname)
    await shot(visit, '8-customer', true)
    await visit.getByLabel('Your full name').fill('Nora Field')
    await visit.getByRole('checkbox', { name: /I agree/ }).check()
    await visit.getByRole('button', { name: /^Approve/ }).click()
    await expect(visit.getByRole('heading', { name: /Approved by Nora Field/ })).toBeVisible()
    await shot(visit, '9-customer-approved', true)
    await expect(card(page, 'Change orders').getByText(/^Approved .* by Nora Field/)).toBeVisible()
    const second = await page.request.post(`/api/jobs/${id}/change-orders`, { data: { title: 'Painting falls away', lines: [{ name: 'Painting the wall behind the tub', unitPrice: -120 }], send: { email: true, text: true } }, headers: { Origin: house.url } })
    expect(second.status(), await second.text()).toBe(201)
    const third = await page.request.post(`/api/jobs/${id}/change-orders`, { data: { lines: [{ name: 'Second shut-off valve', quantity: 2, unitPrice: 45 }, { name: 'Warranty plan', unitPrice: 99, optional: true }], deposit: { percent: 50 }, send: { email: false, text: false } }, headers: { Origin: house.url } })
    expect(third.status(), await third.text()).toBe(201)
    const { changeOrder } = (await third.json()) as { changeOrder: { id: string } }
    const gone = await page.request.post(`/api/jobs/${id}/change-orders`, { data: { title: 'Wrong wall', lines: [{ name: 'Move the wall', unitPrice: 900 }], send: { email: false, text: false } }, headers: { Origin: house.url } })
    const { changeOrder: wrong } = (await gone.json()) as { changeOrder: { id: string } }
    await page.request.post(`/api/estimates/${wrong.id}/withdraw`, { data: { reason: 'Wrong wall' }, headers: { Origin: house.url } })
    await page.reload()
    await expect(card(page, 'Change orders').getByText(/withdrawn or replaced/)).toBeVisible()
    await shot(page, '10-job-full', true)
    await card(page, 'Money').scrollIntoViewIfNeeded()
    await shot(page, '11-money')
    await card(page, 'Change orders').getByText('Agreed now').scrollIntoViewIfNeeded()
    await shot(page, '12-list')
    await card(page, 'Change orders').getByRole('listitem').filter({ hasText: 'Approved' }).getByRole('button', { name: 'Revise' }).first().click()
    await page.getByRole('dialog').getByText('New total').scrollIntoViewIfNeeded()
    await shot(page, '13-revise')
    await page.keyboard.press('Escape')
    await page.goto(`/app/today/${id}`)
    await expect(page.getByText('Extra work, agreed')).toBeVisible()
    await shot(page, '14-on-site', true)
    void changeOrder
  })
}
