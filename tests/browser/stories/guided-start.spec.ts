// The guided start: one question a screen, from the first sign-in to the test.
import { findAxeViolations } from '../support/axe'
import { createLead, registerBusiness } from '../support/business'
import { buildCustomer } from '../support/people'
import { expect, test } from '../support/fixtures'

const QUESTIONS = [
  'What is your business called?',
  'When are you open?',
  'Who hears about new requests?',
  'What customers read',
  'Your phone number',
  'Where do customers review you?',
  'Who goes out to jobs?',
  'Take card payments?',
] as const

test('guided start: every question can be skipped, fits a phone, and ends with the form', async ({
  freshInstall,
  owner,
}) => {
  const business = await registerBusiness(freshInstall)
  const page = await owner(business)
  await page.setViewportSize({ width: 390, height: 844 })
  await page.goto('/app')
  await page.getByRole('link', { name: 'Start', exact: true }).click()
  for (const [at, name] of QUESTIONS.entries()) {
    await expect(page.getByRole('heading', { level: 1, name })).toBeVisible()
    await expect(page.getByText(`${at + 1} of 8`, { exact: true })).toBeVisible()
    expect(await findAxeViolations(page)).toEqual([])
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0)
    await page.getByRole('button', { name: 'Skip for now' }).click()
  }
  await expect(page.getByRole('heading', { level: 1, name: 'Try it yourself' })).toBeVisible()
  await expect(page.getByRole('img', { name: 'QR code of your form' })).toBeVisible()
  expect(await findAxeViolations(page)).toEqual([])

  await createLead(business, buildCustomer({ name: 'Nora Field' }))
  // Nobody reloads the page.
  await expect(page.getByText('Your request arrived')).toBeVisible()
  await expect(page.getByText('Nora Field')).toBeVisible()
})

test('guided start: answers are saved, and what is missing stays on the dashboard until hidden', async ({
  freshInstall,
  owner,
}) => {
  const business = await registerBusiness(freshInstall)
  const page = await owner(business)
  await page.goto('/app/start?step=business')
  await page.getByLabel(/^Phone/).fill('(312) 555-0142')
  await page.reload()
  await expect(page.getByLabel(/^Phone/)).toHaveValue('(312) 555-0142')
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('button', { name: /^Monday to Saturday/ }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Who hears about new requests?' })).toBeVisible()
  await page.goto('/app/start?step=crew')
  await page.getByRole('button', { name: 'Continue' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Take card payments?' })).toBeVisible()

  await page.goto('/app')
  await expect(page.getByRole('link', { name: /^Add your review link/ })).toBeVisible()
  for (const name of [/^Add your phone/, /^Add your crew/]) await expect(page.getByRole('link', { name })).toBeHidden()
  expect(await findAxeViolations(page)).toEqual([])
  await page.getByRole('button', { name: 'Hide', exact: true }).click()
  await expect(page.getByRole('link', { name: /^Add your review link/ })).toBeHidden()
  await page.reload()
  await expect(page.getByRole('heading', { name: 'Next up' })).toBeVisible()
  await expect(page.getByRole('link', { name: /^Add your review link/ })).toBeHidden()
})
