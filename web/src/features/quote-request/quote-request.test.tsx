import { fireEvent, screen } from '@testing-library/react'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { buildFormContext, buildProblem } from '@/testing/builders'
import { type FakeServer, buildProblemResponse, startFakeServer } from '@/testing/fake-server'
import { renderApp } from '@/testing/render-app'

type App = ReturnType<typeof renderApp>

let server: FakeServer
const context = buildFormContext()

// The parts load when they are shown; the first test should not wait for them.
beforeAll(() =>
  Promise.all([
    import('./quote-request.route'),
    import('./components/quote-received'),
    import('@/features/customer-page/business-header'),
  ]),
)

beforeEach(() => {
  server = startFakeServer()
  server.on('GET', '/api/public/form', { body: context })
  server.on('POST', '/api/quotes/create', {
    status: 201,
    body: { id: 'lead-1', reference: 'B00C11D2', quoteHours: 24 },
  })
})

async function openForm(path = '/quote'): Promise<App> {
  const app = renderApp(path)
  await screen.findByText(context.orgName)
  return app
}

async function fill(app: App): Promise<void> {
  await app.user.type(screen.getByLabelText(/^Full Name/), 'Ana Díaz')
  await app.user.type(screen.getByLabelText(/^Email/), 'ana@home.test')
  await app.user.type(screen.getByLabelText(/^Phone/), '3125550177')
  await app.user.selectOptions(screen.getByLabelText(/^Service Type/), 'Roof Repair')
}

const submit = (app: App) => app.user.click(screen.getByRole('button', { name: 'Submit Quote Request' }))

describe('quote page', () => {
  it('shows three highlights without unearned numbers', async () => {
    await openForm()
    expect(screen.getByText('24-hour turnaround')).toBeInTheDocument()
    expect(screen.getByText('Free estimates')).toBeInTheDocument()
    expect(screen.getByRole('heading', { name: 'Quality Work' })).toBeInTheDocument()
    expect(screen.getByText('Care in every job')).toBeInTheDocument()
    expect(document.body).not.toHaveTextContent('star average rating')
  })

  it.each([
    [4.8, '4.8 star average rating'],
    [5, '5.0 star average rating'],
  ])('shows a rating of %s once there are enough reviews', async (rating, words) => {
    server.on('GET', '/api/public/form', { body: buildFormContext({ orgName: context.orgName, rating }) })
    await openForm()
    expect(screen.getByText(words)).toBeInTheDocument()
    expect(screen.queryByText('Care in every job')).not.toBeInTheDocument()
  })

  it('promises no time without a recipient of alerts', async () => {
    server.on('GET', '/api/public/form', { body: buildFormContext({ orgName: context.orgName, quoteHours: null }) })
    server.on('POST', '/api/quotes/create', { status: 201, body: { id: 'lead-1', reference: 'B00C11D2' } })
    const app = await openForm()
    expect(screen.getByText('Every request is read')).toBeInTheDocument()
    await fill(app)
    await submit(app)
    await screen.findByRole('heading', { name: 'Quote Request Received!' })
    expect(screen.getByText("We'll get back to you with your custom quote.")).toBeInTheDocument()
    expect(screen.getByText(/Thank you, Ana Díaz!/)).toHaveTextContent(/a detailed quote\.$/)
  })

  it.each([
    [48, '48-hour turnaround', '48 hours'],
    [1, '1-hour turnaround', '1 hour'],
  ])('promises a quote within %s h where set', async (quoteHours, highlight, within) => {
    server.on('GET', '/api/public/form', { body: buildFormContext({ orgName: context.orgName, quoteHours }) })
    server.on('POST', '/api/quotes/create', { status: 201, body: { id: 'lead-1', reference: 'B00C11D2', quoteHours } })
    const app = await openForm()
    expect(screen.getByText(highlight)).toBeInTheDocument()
    await fill(app)
    await submit(app)
    await screen.findByRole('heading', { name: 'Quote Request Received!' })
    expect(screen.getByText(`We'll get back to you within ${within} with your custom quote.`)).toBeInTheDocument()
    expect(screen.getByText(/Thank you, Ana Díaz!/)).toHaveTextContent(`a detailed quote within ${within}.`)
  })

  it('closed while the form was open: shows the reading time instead of hours', async () => {
    const readingTime = "We're closed right now. We'll read this when we open Monday at 8:00 AM."
    server.on('POST', '/api/quotes/create', { status: 201, body: { id: 'lead-1', reference: 'B00C11D2', readingTime } })
    const app = await openForm()
    await fill(app)
    await submit(app)
    await screen.findByRole('heading', { name: 'Quote Request Received!' })
    expect(screen.getByText(`We'll get back to you with your custom quote. ${readingTime}`)).toBeInTheDocument()
    expect(screen.getByText(/Thank you, Ana Díaz!/)).toHaveTextContent(`a detailed quote. ${readingTime}`)
    expect(document.body).not.toHaveTextContent('24 hours')
  })

  it('mentions no confirmation email where none is sent', async () => {
    server.on('POST', '/api/quotes/create', {
      status: 201,
      body: { id: 'lead-1', reference: 'B00C11D2', confirmedByEmail: false },
    })
    const app = await openForm()
    await fill(app)
    await submit(app)
    await screen.findByRole('heading', { name: 'Quote Request Received!' })
    expect(screen.queryByText(/A confirmation email goes to/)).not.toBeInTheDocument()
  })

  it('names missing fields, and uses browser validation for name and email', async () => {
    await openForm()
    expect(screen.getByLabelText(/^Full Name/)).toBeRequired()
    expect(screen.getByLabelText(/^Email/)).toHaveAttribute('type', 'email')
    fireEvent.submit(screen.getByRole('form', { name: 'Project Details' }))
    expect(await screen.findByText('Missing Information')).toBeInTheDocument()
    expect(screen.getByText('Please fill out all required fields marked with *')).toBeInTheDocument()
    expect(server.requests.filter(({ method }) => method === 'POST')).toHaveLength(0)
  })

  it.each(['/quote', '/quote-request'])('at %s: thanks by name, and says where replies go', async (path) => {
    const app = await openForm(path)
    await fill(app)
    await submit(app)
    expect(await screen.findByRole('heading', { name: 'Quote Request Received!' })).toHaveFocus()
    expect(screen.getByText('Quote Request Submitted!')).toBeInTheDocument()
    expect(screen.getByText("We'll get back to you within 24 hours with your custom quote.")).toBeInTheDocument()
    expect(screen.getByText(/Thank you, Ana Díaz!/)).toHaveTextContent(
      'Roof Repair and will send you a detailed quote within 24 hours',
    )
    expect(screen.getByText('ana@home.test')).toBeInTheDocument()
    expect(screen.getByText('(312) 555-0177')).toBeInTheDocument()
    expect(screen.getByRole('button', { name: 'Submit Another Quote Request' })).toBeInTheDocument()
  })

  it('with booking on: leads to the free times, and to the phone in an emergency', async () => {
    const bookingUrl = 'https://toolbox.example/book/acme-plumbing'
    server.on('GET', '/api/public/form', { body: buildFormContext({ orgName: context.orgName, bookingUrl }) })
    const app = await openForm('/quote?org=acme-plumbing')
    await fill(app)
    await submit(app)
    expect(await screen.findByRole('link', { name: 'See free times' })).toHaveAttribute('href', bookingUrl)
    expect(screen.getByRole('link', { name: 'Call (312) 555-0142' })).toHaveAttribute('href', 'tel:+13125550142')
    expect(screen.queryByLabelText(/^Full Name/)).not.toBeInTheDocument()
  })

  it('of a business: carries its look and no link to the page of Toolbox', async () => {
    await openForm('/quote?org=acme-plumbing')
    expect(screen.queryByRole('link', { name: /Home|Toolbox/ })).not.toBeInTheDocument()
    expect(screen.getByText('Powered by Toolbox')).toBeInTheDocument()
    expect(document.title).toBe('Request a Quote · Acme Plumbing')
  })

  it('sends filled fields only', async () => {
    const app = await openForm()
    await fill(app)
    await app.user.selectOptions(screen.getByLabelText(/^Budget/), '$2,500 - $5,000')
    await app.user.click(screen.getByRole('checkbox', { name: context.marketingText }))
    await submit(app)
    await screen.findByRole('heading', { name: 'Quote Request Received!' })
    const sent = server.requests.find(({ method }) => method === 'POST')
    expect(await sent?.json()).toEqual({
      customerName: 'Ana Díaz',
      email: 'ana@home.test',
      phone: '3125550177',
      serviceType: 'Roof Repair',
      budgetRange: '$2,500 - $5,000',
      marketingConsent: true,
      orgId: context.orgId,
      formToken: context.formToken,
      pageUrl: globalThis.location.href,
    })
    expect(sent?.headers.get('Idempotency-Key')).toMatch(/^[0-9a-f-]{36}$/)
  })

  it('failure: stays on the form with the input', async () => {
    server.on(
      'POST',
      '/api/quotes/create',
      buildProblemResponse(buildProblem(422, 'validation_failed', { errors: { email: 'Invalid email' } })),
    )
    const app = await openForm()
    await fill(app)
    await submit(app)
    expect(await screen.findAllByText('Submission Error')).toHaveLength(2)
    expect(screen.getAllByText('Something went wrong. Please try again or call us directly.')).toHaveLength(2)
    expect(await screen.findByText('Invalid email')).toBeInTheDocument()
    expect(screen.getByLabelText(/^Full Name/)).toHaveValue('Ana Díaz')
  })
})
