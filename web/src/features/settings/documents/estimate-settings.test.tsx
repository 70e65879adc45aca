import { screen, waitFor, within } from '@testing-library/react'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Schema } from '@/api/client'
import { buildUser } from '@/testing/builders'
import { type FakeServer, startFakeServer } from '@/testing/fake-server'
import { lastRequestBody } from '@/testing/open-job'
import { renderApp } from '@/testing/render-app'
import { replaceText } from '@/testing/replace-text'
import { buildSettings } from '@/testing/settings'

const user = buildUser()
const orgPath = `/api/org/${user.orgId}`
const settingsPath = `${orgPath}/settings`
let server: FakeServer

const organization: Schema['Organization'] = {
  id: user.orgId,
  slug: 'acme-plumbing',
  name: 'Acme Plumbing',
  industry: 'Plumbing',
  phone: '+13125550100',
  reviewLink: null,
  bookingLink: null,
  timezone: 'America/Chicago',
  smsNumber: null,
  postalAddress: null,
}

const sentSettings = () => lastRequestBody(server, 'PATCH', settingsPath)
const sentOrganization = () => lastRequestBody(server, 'PATCH', orgPath)

/** `until` resolves on release. */
function hold() {
  let release = (): void => undefined
  const until = new Promise<void>((resolve) => {
    release = resolve
  })
  return { until, release: () => release() }
}

beforeAll(() =>
  Promise.all([import('../settings.route'), import('../pages/topic-page'), import('./estimate-settings-card')]),
)

beforeEach(() => {
  server = startFakeServer()
  server.on('GET', '/api/auth/me', { body: user })
  server.on('GET', '/api/inbox', { body: [] })
  server.on('GET', orgPath, { body: organization })
  server.on('GET', settingsPath, { body: buildSettings() })
})

describe('estimate settings', () => {
  const card = async () => within(await screen.findByRole('form', { name: 'Estimates and invoices' }))
  /** Each answer has what was saved before it. `until`: what it waits for. */
  const answerSaved = (estimates = buildSettings().estimates, until = Promise.resolve()) => {
    let known = estimates
    server.on('PATCH', settingsPath, async (request) => {
      const changed = (await request.json()) as { estimates: Partial<Schema['EstimateSettings']> }
      await until
      known = { ...known, ...changed.estimates }
      return { body: buildSettings({ estimates: known }) }
    })
  }
  const answerLicense = (until = Promise.resolve()) =>
    server.on('PATCH', orgPath, async (request) => {
      const changed = (await request.json()) as object
      await until
      return { body: { ...organization, ...changed } }
    })

  it('save changed deposit and tax, the license with the business', async () => {
    answerSaved()
    answerLicense()
    const { user: person } = renderApp('/app/settings/estimates')
    const form = await card()
    await replaceText(person, form.getByLabelText(/^License line/), 'Licensed, IL 055')
    await person.tab()
    expect(await form.findByText('Saved: Licensed, IL 055')).toBeInTheDocument()
    expect(await sentOrganization()).toEqual({ licenceLine: 'Licensed, IL 055' })
    await person.click(form.getByRole('radio', { name: 'A share of the total' }))
    await person.type(form.getByLabelText(/^Share/), '30')
    await person.tab()
    expect(await form.findByText('Saved: A share of the total')).toBeInTheDocument()
    expect(await sentSettings()).toEqual({ estimates: { deposit: { kind: 'percent', value: 30 } } })
    await person.type(form.getByLabelText('Name of the tax'), 'Cook County')
    await person.type(form.getByLabelText('Percent'), '10.25')
    await person.click(form.getByRole('button', { name: 'Add tax' }))
    expect(await form.findByText('Saved: Cook County')).toBeInTheDocument()
    expect(await sentSettings()).toEqual({
      estimates: { taxRates: [{ name: 'Cook County', rate: 10.25 }], defaultTax: 'Cook County' },
    })
    expect(screen.getByText('Your organization settings have been saved')).toBeInTheDocument()
  })

  // The same deposit changes nothing in what is kept, so that nothing there would put a wrong license right.
  it.each([
    ['another deposit', '30'],
    ['the same deposit', '25.0'],
  ])('keep the saved license where %s is saved right after it', async (_which, typed) => {
    const estimates = { ...buildSettings().estimates, deposit: { kind: 'percent', value: 25 } as const }
    server.on('GET', settingsPath, { body: buildSettings({ estimates }) })
    const [licenseHold, depositHold] = [hold(), hold()]
    answerLicense(licenseHold.until)
    answerSaved(estimates, depositHold.until)
    const { user: person } = renderApp('/app/settings/estimates')
    const form = await card()
    const [license, share] = [form.getByLabelText(/^License line/), form.getByLabelText(/^Share/)]
    await replaceText(person, license, 'IL 055')
    await person.tab()
    await waitFor(async () => expect(await sentOrganization()).toEqual({ licenceLine: 'IL 055' }))
    await replaceText(person, share, typed)
    await person.tab()
    licenseHold.release()
    expect(await form.findByText('Saved: IL 055')).toBeInTheDocument()
    await waitFor(async () =>
      expect(await sentSettings()).toEqual({ estimates: { deposit: { kind: 'percent', value: Number(typed) } } }),
    )
    depositHold.release()
    expect(await form.findByText('Saved: A share of the total')).toBeInTheDocument()
    await waitFor(() => expect(share).toHaveValue(String(Number(typed))))
    expect(license).toHaveValue('IL 055')
  })

  it('set the quote promise from one hour to a week', async () => {
    answerSaved()
    const { user: person } = renderApp('/app/settings/estimates')
    const form = await card()
    const hours = form.getByLabelText(/^A quote takes at most/)
    expect(hours).toHaveValue(24)
    await person.clear(hours)
    await person.type(hours, '169')
    await person.tab()
    expect(await form.findByText('Enter a whole number from 1 to 168')).toBeInTheDocument()
    await person.clear(hours)
    await person.type(hours, '48')
    await person.tab()
    expect(await screen.findByText('Your organization settings have been saved')).toBeInTheDocument()
    expect(await sentSettings()).toEqual({ estimates: { quoteHours: 48 } })
  })

  it.each([
    ['A share of the total', /^Share/, '130'],
    ['A fixed amount', /^Amount/, '0'],
  ] as const)('refuse %s of %s %s', async (kind, label, typed) => {
    const { user: person } = renderApp('/app/settings/estimates')
    const form = await card()
    await person.click(form.getByRole('radio', { name: kind }))
    await person.type(form.getByLabelText(label), typed)
    await person.tab()
    expect(await form.findByText('Please enter a deposit above 0, or choose none')).toBeInTheDocument()
    expect(await sentSettings()).toBeUndefined()
  })

  it('keep each tax once, with one default', async () => {
    const taxed = {
      ...buildSettings().estimates,
      taxRates: [{ name: 'Sales tax', rate: 8.25 }],
      defaultTax: 'Sales tax',
    }
    server.on('GET', settingsPath, { body: buildSettings({ estimates: taxed }) })
    answerSaved()
    const { user: person } = renderApp('/app/settings/estimates')
    const form = await card()
    await person.type(form.getByLabelText('Name of the tax'), 'sales TAX')
    await person.type(form.getByLabelText('Percent'), '9{Enter}')
    expect(form.getByText('Use each name only once')).toBeInTheDocument()
    await person.click(form.getByRole('button', { name: 'Remove Sales tax' }))
    await waitFor(async () => expect(await sentSettings()).toEqual({ estimates: { taxRates: [], defaultTax: null } }))
  })

  it('show the chosen logo, until it is removed', async () => {
    server.on('POST', `${orgPath}/logo`, { body: { ...organization, logoUrl: '/api/public/logo/1?v=a' } })
    server.on('DELETE', `${orgPath}/logo`, { body: organization })
    const { user: person } = renderApp('/app/settings/estimates')
    await card()
    await person.upload(screen.getByLabelText('Logo file'), new File(['x'], 'logo.png', { type: 'image/png' }))
    expect(await screen.findByAltText('Your logo')).toHaveAttribute('src', '/api/public/logo/1?v=a')
    await person.click(within(screen.getByRole('region', { name: 'Logo' })).getByRole('button', { name: 'Remove' }))
    await waitFor(() => expect(screen.queryByAltText('Your logo')).not.toBeInTheDocument())
  })

  it('refuse a picture that is too large', async () => {
    const { user: person } = renderApp('/app/settings/estimates')
    await card()
    const large = new File([new Uint8Array(5 * 1024 * 1024 + 1)], 'logo.png', { type: 'image/png' })
    await person.upload(screen.getByLabelText('Logo file'), large)
    expect(await screen.findByText('This picture is larger than 5 MB')).toBeInTheDocument()
    expect(server.requests.some(({ url }) => url.endsWith('/logo'))).toBe(false)
  })
})
