import { screen, waitFor } from '@testing-library/react'
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { buildFormContext, buildProblem } from '@/testing/builders'
import { type FakeServer, buildProblemResponse, startFakeServer } from '@/testing/fake-server'
import { renderApp } from '@/testing/render-app'

type App = ReturnType<typeof renderApp>

let server: FakeServer
const context = buildFormContext()

// The parts load when they are shown; the first test should not wait for them.
beforeAll(() =>
  Promise.all([
    import('./lead-form.route'),
    import('@/features/customer-page/business-header'),
    import('@/features/customer-page/next-steps'),
  ]),
)

beforeEach(() => {
  server = startFakeServer()
  server.on('GET', '/api/public/form', { body: context })
  server.on('POST', '/api/leads/create', { status: 201, body: { id: 'lead-1', reference: 'A7C21F0B' } })
  // jsdom decodes no pictures: any .heic file represents an unreadable one.
  vi.stubGlobal('createImageBitmap', async (file: File) => {
    if (file.name.endsWith('.heic')) throw new DOMException('cannot decode', 'InvalidStateError')
    return { width: 640, height: 480 }
  })
  vi.spyOn(HTMLCanvasElement.prototype, 'getContext').mockReturnValue(null)
})

/** Hidden from people, so no role or name finds it. */
function photoInput(): HTMLInputElement {
  const input = document.querySelector<HTMLInputElement>('input[type="file"]')
  if (!input) throw new Error('The form has no place for files')
  return input
}

const png = (name: string) => new File(['pixels'], name, { type: 'image/png' })
const submit = (app: App) => app.user.click(screen.getByRole('button', { name: 'Submit Request' }))
const posts = () => server.requests.filter(({ method }) => method === 'POST')
const keyOf = (request: Request | undefined) => request?.headers.get('Idempotency-Key')

async function openForm(): Promise<App> {
  const app = renderApp('/lead?org=acme-plumbing')
  await screen.findByText(context.orgName)
  return app
}

async function fill(app: App): Promise<void> {
  await app.user.type(screen.getByLabelText(/^Full Name/), 'Ana Díaz')
  await app.user.type(screen.getByLabelText(/^Phone/), '(312) 555-0177')
  await app.user.type(screen.getByLabelText(/^Zip Code/), '60601')
  await app.user.selectOptions(screen.getByLabelText(/^Service Type/), 'roofing')
}

describe('lead form', () => {
  it('belongs to the business of the address, and shows the consent text', async () => {
    await openForm()
    expect(screen.getByRole('heading', { name: 'Get Your Free Quote' })).toBeInTheDocument()
    expect(screen.getByText(context.consentText)).toBeInTheDocument()
    expect(screen.getByRole('link', { name: /^Messaging terms/ })).toHaveAttribute(
      'href',
      `/sms-terms?org=${context.orgSlug}`,
    )
    expect(screen.getByRole('link', { name: /^Privacy/ })).toHaveAttribute('href', `/privacy?org=${context.orgSlug}`)
    expect(screen.getByRole('checkbox', { name: context.marketingText })).not.toBeChecked()
    expect(new URL(server.requests[0]?.url ?? '').searchParams.get('org')).toBe('acme-plumbing')
  })

  it('carries the look of the business and no link to the page of Toolbox', async () => {
    const look = {
      logoUrl: '/api/public/logo/acme?v=1',
      colors: {
        light: { fill: '#ffcc00', onFill: '#000000', ink: '#806600' },
        dark: { fill: '#ffcc00', onFill: '#000000', ink: '#ffcc00' },
      },
      showsPoweredBy: true,
    }
    document.documentElement.dataset['chosenTheme'] = 'toolbox'
    server.on('GET', '/api/public/form', { body: buildFormContext({ orgName: context.orgName, look }) })
    const app = await openForm()
    expect(screen.getByRole('link', { name: '(312) 555-0142' })).toHaveAttribute('href', 'tel:+13125550142')
    expect(document.querySelector('header img')).toHaveAttribute('src', look.logoUrl)
    expect(screen.getByText('Powered by Toolbox')).toBeInTheDocument()
    expect(screen.queryByRole('link', { name: /Home|Toolbox/ })).not.toBeInTheDocument()
    const { dataset, style } = document.documentElement
    expect([dataset['theme'], dataset['look']]).toEqual(['toolbox-day', 'business'])
    expect(style.getPropertyValue('--brand-fill')).toBe('#ffcc00')
    expect(style.getPropertyValue('--color-primary')).toBe('#806600')
    expect(document.title).toBe('Get Your Free Quote · Acme Plumbing')
    app.unmount()
    expect([dataset['theme'], dataset['look']]).toEqual(['toolbox', undefined])
    expect(style.getPropertyValue('--color-primary')).toBe('')
  })

  it('without the line at the foot where the business switched it off', async () => {
    const look = { ...context.look, showsPoweredBy: false }
    server.on('GET', '/api/public/form', { body: buildFormContext({ orgName: context.orgName, look }) })
    await openForm()
    expect(screen.queryByText('Powered by Toolbox')).not.toBeInTheDocument()
  })

  it('unconfirmed business: says so, and keeps what was typed when its day is full', async () => {
    server.on('GET', '/api/public/form', { body: buildFormContext({ isEmailUnconfirmed: true }) })
    const detail = 'This business has not confirmed its email address yet, and takes no more requests today.'
    server.on('POST', '/api/leads/create', buildProblemResponse(buildProblem(429, 'business_unconfirmed', { detail })))
    const app = await openForm()
    expect(await screen.findByText('This business has not confirmed its email address yet.')).toBeInTheDocument()
    expect(screen.getByText('Esta empresa todavía no ha confirmado su correo electrónico.')).toBeInTheDocument()
    await fill(app)
    await submit(app)
    expect(await screen.findByText(`${detail} Everything you typed is still here.`)).toBeInTheDocument()
    expect(screen.getByRole('link', { name: /Call Acme Plumbing at/u })).toBeInTheDocument()
    expect(screen.getByLabelText(/^Full Name/)).toHaveValue('Ana Díaz')
  })

  it('without a business in the address: keeps the look of Toolbox', async () => {
    renderApp('/lead')
    expect(await screen.findByText(context.orgName)).toBeInTheDocument()
    // The server draws what is there, so no link of the app's own leads to it.
    expect(screen.getByRole('link', { name: 'Home' })).toHaveAttribute('href', '/')
    expect(screen.getByRole('link', { name: 'Toolbox, home' })).toBeInTheDocument()
    expect(document.documentElement.dataset['look']).toBeUndefined()
    expect(screen.queryByText('Powered by Toolbox')).not.toBeInTheDocument()
  })

  it('names missing fields on submit, and revalidates on change', async () => {
    const app = await openForm()
    await submit(app)
    expect(await screen.findByText('Name is required')).toBeInTheDocument()
    for (const text of ['Phone number is required', 'Service type is required', 'Zip code is required'])
      expect(screen.getByText(text)).toBeInTheDocument()
    expect(screen.queryByText('Invalid email')).not.toBeInTheDocument()
    expect(screen.getByLabelText(/^Full Name/)).toHaveFocus()
    expect(posts()).toHaveLength(0)
    await app.user.type(screen.getByLabelText(/^Full Name/), 'A')
    expect(screen.queryByText('Name is required')).not.toBeInTheDocument()
    await app.user.type(screen.getByLabelText(/^Email/), 'ana@')
    expect(await screen.findByText('Invalid email')).toBeInTheDocument()
  })

  it.each([
    { field: /^Phone/, short: '312555014', long: '3125550142', text: 'Phone number is required' },
    { field: /^Zip Code/, short: '6060', long: '60601', text: 'Zip code is required' },
  ])('limits the characters of $field', async ({ field, short, long, text }) => {
    const app = await openForm()
    await app.user.type(screen.getByLabelText(field), short)
    await submit(app)
    expect(await screen.findByText(text)).toBeInTheDocument()
    await app.user.type(screen.getByLabelText(field), long.slice(short.length))
    expect(screen.queryByText(text)).not.toBeInTheDocument()
  })

  it('hides the honeypot', async () => {
    await openForm()
    const trap = document.querySelector('input[name="company"]')
    expect(trap).toHaveAttribute('tabindex', '-1')
    expect(trap).toHaveAttribute('autocomplete', 'off')
    expect(screen.queryByRole('textbox', { name: 'Company' })).not.toBeInTheDocument()
  })

  it('is replaced by what happens next, said once', async () => {
    const app = await openForm()
    await fill(app)
    await app.user.type(screen.getByLabelText(/^Email/), 'ana@home.test')
    await submit(app)
    expect(await screen.findByText('A7C21F0B')).toBeInTheDocument()
    expect(screen.getByRole('heading', { level: 1, name: 'We have your request' })).toHaveFocus()
    expect(screen.getByText('Request Submitted!')).toBeInTheDocument()
    expect(screen.getByText("Thank you for your request. We'll be in touch.")).toBeInTheDocument()
    expect(screen.getByText('Acme Plumbing will answer you.')).toBeInTheDocument()
    expect(
      screen.getByText("We'll call or text you at (312) 555-0177, or email you at ana@home.test."),
    ).toBeInTheDocument()
    expect(screen.getByRole('link', { name: 'Call (312) 555-0142' })).toHaveAttribute('href', 'tel:+13125550142')
    expect(screen.queryByRole('link', { name: 'See free times' })).not.toBeInTheDocument()
    expect(screen.queryByLabelText(/^Full Name/)).not.toBeInTheDocument()
    expect(sessionStorage).toHaveLength(0)
  })

  it('business without a number: promises no text and no short time', async () => {
    server.on('GET', '/api/public/form', { body: buildFormContext({ orgName: context.orgName, hasSender: false }) })
    const app = await openForm()
    await fill(app)
    await submit(app)
    expect(await screen.findByText("We'll call you at (312) 555-0177.")).toBeInTheDocument()
    expect(screen.getByText("Thank you for your request. We'll be in touch.")).toBeInTheDocument()
    expect(screen.queryByText(/text you|shortly/)).not.toBeInTheDocument()
  })

  it('with booking on: leads to the free times', async () => {
    const bookingUrl = 'https://toolbox.example/book/acme-plumbing'
    server.on('GET', '/api/public/form', { body: buildFormContext({ orgName: context.orgName, bookingUrl }) })
    const app = await openForm()
    await fill(app)
    await submit(app)
    expect(await screen.findByRole('link', { name: 'See free times' })).toHaveAttribute('href', bookingUrl)
  })

  it('failed second submission: shows no success', async () => {
    const app = await openForm()
    await fill(app)
    await submit(app)
    await app.user.click(await screen.findByRole('button', { name: 'Send another request' }))
    expect(screen.getByLabelText(/^Full Name/)).toHaveValue('')
    server.on('POST', '/api/leads/create', buildProblemResponse(buildProblem(500, 'internal')))
    await fill(app)
    await submit(app)
    expect(await screen.findAllByText('Submission Failed')).toHaveLength(2)
    expect(screen.queryByText('A7C21F0B')).not.toBeInTheDocument()
    expect(screen.queryByRole('heading', { name: 'We have your request' })).not.toBeInTheDocument()
  })

  it('after hours: says when the request is read', async () => {
    const readingTime = "We're closed right now. We'll read this when we open Monday at 8:00 AM."
    server.on('POST', '/api/leads/create', { status: 201, body: { id: 'lead-1', reference: 'A7C21F0B', readingTime } })
    const app = await openForm()
    await fill(app)
    await submit(app)
    expect(await screen.findByText('A7C21F0B')).toBeInTheDocument()
    expect(screen.getByText(`Thank you for your request. ${readingTime}`)).toBeInTheDocument()
    expect(screen.getByText(readingTime)).toBeInTheDocument()
    expect(screen.queryByText(/shortly/)).not.toBeInTheDocument()
  })

  it('says when photos were left out', async () => {
    const words =
      'We have your request, but there was no room for one of your photos right now. Please show us when we call.'
    server.on('POST', '/api/leads/create', {
      status: 201,
      body: { id: 'lead-1', reference: 'A7C21F0B', photosLeftOut: words },
    })
    const app = await openForm()
    await fill(app)
    await submit(app)
    expect(await screen.findByText(words)).toBeInTheDocument()
  })

  it('omits empty values', async () => {
    const append = vi.spyOn(FormData.prototype, 'append')
    const app = await openForm()
    await fill(app)
    await submit(app)
    await screen.findByText('A7C21F0B')
    expect(Object.fromEntries(append.mock.calls)).toEqual({
      name: 'Ana Díaz',
      phone: '(312) 555-0177',
      zip: '60601',
      service: 'roofing',
      orgId: context.orgId,
      source: 'Website',
      formToken: context.formToken,
      pageUrl: globalThis.location.href,
    })
  })
})

describe('failed submission', () => {
  it('keeps the input, explains, and shows the phone number', async () => {
    server.on('POST', '/api/leads/create', buildProblemResponse(buildProblem(500, 'internal')))
    const app = await openForm()
    await fill(app)
    await submit(app)
    expect(await screen.findAllByText('Submission Failed')).toHaveLength(2)
    expect(screen.getAllByText('Please try again or call us directly.')).toHaveLength(2)
    expect(screen.getByRole('link', { name: 'Call Acme Plumbing at (312) 555-0142' })).toHaveAttribute(
      'href',
      'tel:+13125550142',
    )
    expect(screen.getByLabelText(/^Full Name/)).toHaveValue('Ana Díaz')
  })

  it('reuses the key for the same content, and a new key for other content', async () => {
    server.on(
      'POST',
      '/api/leads/create',
      buildProblemResponse(buildProblem(503, 'unavailable'), { 'Retry-After': '30' }),
    )
    const app = await openForm()
    await fill(app)
    await submit(app)
    expect(await screen.findByText(/Please try again in 30 seconds/)).toBeInTheDocument()
    await submit(app)
    await waitFor(() => expect(posts()).toHaveLength(2))
    await screen.findByRole('button', { name: 'Submit Request' })
    await app.user.type(screen.getByLabelText(/^Project Details/), 'Two shingles')
    await submit(app)
    await waitFor(() => expect(posts()).toHaveLength(3))
    const [first, second, third] = posts().map(keyOf)
    expect(first).toBeTruthy()
    expect(second).toBe(first)
    expect(third).not.toBe(first)
  })

  it('offline: says so and keeps the form', async () => {
    const app = await openForm()
    await fill(app)
    server.goOffline()
    await submit(app)
    expect(await screen.findByText(/You seem to be offline. Everything you typed is still here/)).toBeInTheDocument()
    expect(screen.getByLabelText(/^Phone/)).toHaveValue('(312) 555-0177')
    server.goOnline()
    await submit(app)
    expect(await screen.findByText('A7C21F0B')).toBeInTheDocument()
  })

  it('shows server errors at their fields', async () => {
    const errors = { zip: 'Zip code is required', photos: 'roof.png is not an image.' }
    server.on('POST', '/api/leads/create', buildProblemResponse(buildProblem(422, 'validation_failed', { errors })))
    const app = await openForm()
    await fill(app)
    await app.user.upload(photoInput(), png('roof.png'))
    await screen.findByRole('img', { name: 'Photo 1: roof.png' })
    await submit(app)
    expect(await screen.findByText('Zip code is required')).toBeInTheDocument()
    expect(screen.getByLabelText(/^Zip Code/)).toHaveFocus()
    expect(screen.getByText('roof.png is not an image.')).toBeInTheDocument()
    expect(screen.getByRole('img', { name: 'Photo 1: roof.png' })).toBeInTheDocument()
  })

  it('keeps the draft over a reload', async () => {
    const app = await openForm()
    await fill(app)
    app.unmount()
    await openForm()
    expect(screen.getByLabelText(/^Full Name/)).toHaveValue('Ana Díaz')
    expect(screen.getByLabelText(/^Service Type/)).toHaveValue('roofing')
  })

  it('unknown business: shows no form', async () => {
    server.on('GET', '/api/public/form', buildProblemResponse(buildProblem(404, 'not_found')))
    renderApp('/lead?org=nobody')
    expect(await screen.findByRole('heading', { name: 'No business has this address' })).toBeInTheDocument()
    expect(screen.queryByLabelText(/^Full Name/)).not.toBeInTheDocument()
  })

  it('sends the business of the address as orgId', async () => {
    renderApp('/lead?orgId=nobody')
    await waitFor(() =>
      expect(server.requests.map((each) => each.url)).toContainEqual(expect.stringContaining('org=nobody')),
    )
  })

  it('no business registered: says so and keeps the input', async () => {
    server.on('GET', '/api/public/form', buildProblemResponse(buildProblem(409, 'business_not_set_up')))
    const app = renderApp('/lead')
    expect(await screen.findByRole('heading', { name: 'This business is not set up yet' })).toBeInTheDocument()
    await fill(app)
    server.on('GET', '/api/public/form', { body: context })
    await app.user.click(screen.getByRole('button', { name: 'Check again' }))
    expect(await screen.findByText(context.orgName)).toBeInTheDocument()
    expect(screen.getByLabelText(/^Full Name/)).toHaveValue('Ana Díaz')
  })
})

describe('photos', () => {
  it('are limited to five, and refused files are named', async () => {
    const app = await openForm()
    const files = [1, 2, 3, 4, 5, 6].map((number) => png(`photo-${number}.png`))
    await app.user.upload(photoInput(), files)
    expect(await screen.findByRole('img', { name: 'Photo 5: photo-5.png' })).toBeInTheDocument()
    expect(screen.getAllByRole('img')).toHaveLength(5)
    expect(screen.getByText('photo-6.png was left out: at most 5 photos can be sent.')).toBeInTheDocument()
    expect(screen.getByRole('button', { name: '5 photos chosen' })).toBeDisabled()
    await app.user.click(screen.getByRole('button', { name: 'Remove photo-2.png' }))
    expect(screen.getByRole('img', { name: 'Photo 2: photo-3.png' })).toBeInTheDocument()
    expect(screen.getByRole('button', { name: 'Add more photos' })).toBeEnabled()
  })

  it('have one labelled control that opens the file chooser', async () => {
    const app = await openForm()
    const opened = vi.fn<() => void>()
    photoInput().addEventListener('click', opened)
    expect(screen.queryByLabelText('Add photos')).not.toBeInTheDocument()
    screen.getByRole('button', { name: 'Add photos' }).focus()
    await app.user.keyboard('{Enter}')
    expect(opened).toHaveBeenCalledOnce()
    await app.user.upload(photoInput(), png('roof.png'))
    await app.user.click(await screen.findByRole('button', { name: 'Remove roof.png' }))
    expect(screen.getByRole('group', { name: 'Photos (optional)' })).toHaveFocus()
  })

  it('unreadable ones are refused by name, the rest stays', async () => {
    const app = await openForm()
    await app.user.upload(photoInput(), [new File(['x'], 'IMG_1.heic', { type: 'image/heic' }), png('roof.png')])
    expect(
      await screen.findByText('IMG_1.heic cannot be read as a picture. Please choose PNG or JPG.'),
    ).toBeInTheDocument()
    expect(await screen.findByRole('img', { name: 'Photo 1: roof.png' })).toBeInTheDocument()
  })
})
