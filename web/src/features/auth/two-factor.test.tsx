import { screen, within } from '@testing-library/react'
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { api, unwrap } from '@/api/client'
import { buildProblem, buildUser } from '@/testing/builders'
import { type FakeServer, buildProblemResponse, startFakeServer } from '@/testing/fake-server'
import { lastRequestBody } from '@/testing/open-job'
import { loadSignIn } from '@/testing/load-screens'
import { renderApp } from '@/testing/render-app'

let server: FakeServer
let isSignedIn: boolean
const user = buildUser()
const codes = ['ABCD-EFGH-IJKL-MNOP', 'QRST-UVWX-YZ23-4567']

beforeAll(loadSignIn)

beforeEach(() => {
  isSignedIn = false
  server = startFakeServer()
  server.on('GET', '/api/auth/me', () =>
    isSignedIn ? { body: user } : buildProblemResponse(buildProblem(401, 'unauthenticated')),
  )
})

function leaves(step: 'code' | 'set_up') {
  server.on('POST', '/api/auth/login', { status: 202, body: { step, ticket: 'half-way' } })
}

async function typePassword(app: ReturnType<typeof renderApp>) {
  await app.user.type(await screen.findByLabelText(/^Email/, { selector: 'input' }), 'olivia@acme.test')
  await app.user.type(screen.getByLabelText(/^Password/, { selector: 'input' }), 'correct horse')
  await app.user.click(screen.getByRole('button', { name: 'Sign In' }))
}

async function typeCode(app: ReturnType<typeof renderApp>, code: string) {
  await app.user.type(await screen.findByLabelText(/^Code/, { selector: 'input' }), code)
  await app.user.click(screen.getByRole('button', { name: 'Sign In' }))
}

describe('login with a second step', () => {
  it('asks for the code, shows an error for a wrong one, and accepts the next', async () => {
    leaves('code')
    server.on(
      'POST',
      '/api/auth/login/code',
      buildProblemResponse(
        buildProblem(422, 'validation_failed', {
          errors: { code: 'This code is not right. Use the newest one of your app' },
        }),
      ),
    )
    const app = renderApp('/app/no/such/page')
    await typePassword(app)
    await typeCode(app, '000000')
    expect(await screen.findByText('This code is not right. Use the newest one of your app')).toBeInTheDocument()
    expect(screen.queryByText('Login successful')).not.toBeInTheDocument()
    server.on('POST', '/api/auth/login/code', { body: user })
    await app.user.clear(screen.getByLabelText(/^Code/, { selector: 'input' }))
    await typeCode(app, '123456')
    expect(await screen.findByText('Login successful')).toBeInTheDocument()
    expect(await screen.findByRole('heading', { name: 'Page Not Found' })).toBeInTheDocument()
  })

  it('returns to the password when the ticket expires', async () => {
    leaves('code')
    server.on(
      'POST',
      '/api/auth/login/code',
      buildProblemResponse(
        buildProblem(404, 'not_found', { detail: 'This sign-in took too long. Please start again.' }),
      ),
    )
    const app = renderApp('/login')
    await typePassword(app)
    await typeCode(app, '123456')
    expect(await screen.findByText('This sign-in took too long. Please start again.')).toBeInTheDocument()
    await app.user.click(screen.getByRole('button', { name: 'Start again' }))
    expect(await screen.findByLabelText(/^Password/, { selector: 'input' })).toBeInTheDocument()
  })

  it('sets up an app where required, and enters once the codes are saved', async () => {
    leaves('set_up')
    server.on('POST', '/api/auth/login/set-up', {
      body: {
        secret: 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ',
        address: 'otpauth://totp/Toolbox:olivia',
        qr: { size: 29, path: 'M4 4h7v1h-7z' },
      },
    })
    server.on('POST', '/api/auth/login/set-up/confirm', { body: { user, recoveryCodes: codes } })
    const app = renderApp('/app/no/such/page')
    await typePassword(app)
    expect(await screen.findByText('GEZD GNBV GY3T QOJQ GEZD GNBV GY3T QOJQ')).toBeInTheDocument()
    expect(screen.getByRole('link', { name: 'Open my authenticator app' })).toHaveAttribute(
      'href',
      'otpauth://totp/Toolbox:olivia',
    )
    await typeCode(app, '123456')
    const list = await screen.findByRole('list', { name: 'Recovery codes' })
    expect(
      within(list)
        .getAllByRole('listitem')
        .map((item) => item.textContent),
    ).toEqual(codes)
    expect(screen.queryByRole('heading', { name: 'Page Not Found' })).not.toBeInTheDocument()
    await app.user.click(screen.getByRole('button', { name: 'I have kept them' }))
    expect(await screen.findByRole('heading', { name: 'Page Not Found' })).toBeInTheDocument()
    expect(await lastRequestBody(server, 'POST', '/api/auth/login/set-up/confirm')).toEqual({
      ticket: 'half-way',
      code: '123456',
    })
  })
})

describe('forgotten password', () => {
  it('gets the same answer for every address', async () => {
    server.on('POST', '/api/auth/reset', { status: 202, body: { status: 'sent' } })
    const app = renderApp('/login')
    await app.user.click(await screen.findByRole('link', { name: 'Forgot your password?' }))
    await screen.findByRole('heading', { name: 'Forgot your password?' })
    await app.user.type(await screen.findByLabelText(/^Email/, { selector: 'input' }), 'olivia@acme.test')
    await app.user.click(screen.getByRole('button', { name: 'Mail me a link' }))
    expect(await screen.findByText('Check your email')).toBeInTheDocument()
  })

  it('is reset with the token from the URL fragment, which no request URL contains', async () => {
    server.on('POST', '/api/auth/reset/confirm', { status: 204 })
    const app = renderApp('/reset-password#a-token')
    await app.user.type(await screen.findByLabelText(/^New password/, { selector: 'input' }), 'three blue ladders')
    expect(screen.getByText(/your passkeys are removed/)).toBeInTheDocument()
    expect(screen.getByText(/^If two-step sign-in is on, it stays on/)).toBeInTheDocument()
    await app.user.type(screen.getByLabelText(/^Confirm password/, { selector: 'input' }), 'three blue ladders')
    await app.user.click(screen.getByRole('button', { name: 'Change password' }))
    expect(await screen.findByText('Password changed')).toBeInTheDocument()
    expect(await screen.findByRole('heading', { name: 'Welcome back' })).toBeInTheDocument()
    expect(await lastRequestBody(server, 'POST', '/api/auth/reset/confirm')).toEqual({
      token: 'a-token',
      password: 'three blue ladders',
    })
    expect(server.requests.every(({ url }) => !url.includes('a-token'))).toBe(true)
  })

  it('with a used link: says so in place of the form', async () => {
    server.on('POST', '/api/auth/reset/confirm', buildProblemResponse(buildProblem(404, 'not_found')))
    renderApp('/reset-password#a-token')
    expect(await screen.findByRole('heading', { name: 'This link is no longer valid' })).toBeInTheDocument()
    expect(screen.getByText(/^This link was used, or is older than 30 minutes/)).toBeInTheDocument()
    expect(screen.getByRole('link', { name: 'Ask for a new one' })).toHaveAttribute('href', '/forgot-password')
    expect(screen.queryByLabelText(/^New password/)).not.toBeInTheDocument()
  })

  it('with a link that is used meanwhile: says so', async () => {
    const missing = buildProblem(422, 'validation_failed', { errors: { password: 'Password is required' } })
    server.on('POST', '/api/auth/reset/confirm', buildProblemResponse(missing))
    const app = renderApp('/reset-password#a-token')
    await app.user.type(await screen.findByLabelText(/^New password/, { selector: 'input' }), 'three blue ladders')
    await app.user.type(screen.getByLabelText(/^Confirm password/, { selector: 'input' }), 'three blue ladders')
    server.on('POST', '/api/auth/reset/confirm', buildProblemResponse(buildProblem(404, 'not_found')))
    await app.user.click(screen.getByRole('button', { name: 'Change password' }))
    expect(await screen.findByRole('heading', { name: 'This link is no longer valid' })).toBeInTheDocument()
  })

  it('without a token: shows no form', async () => {
    renderApp('/reset-password')
    expect(await screen.findByRole('heading', { name: 'This link is no longer valid' })).toBeInTheDocument()
  })
})

/** A staff screen, whose shell shows the prompt. */
async function openShell() {
  const app = renderApp('/app/no/such/page')
  await screen.findByRole('heading', { name: 'Page Not Found' })
  return app
}

describe('action that requires reauthentication', () => {
  let isProved: boolean

  beforeEach(() => {
    isSignedIn = true
    isProved = false
    server.on('DELETE', '/api/account/second-factor', () =>
      isProved
        ? { status: 204 }
        : buildProblemResponse(
            buildProblem(403, 'reauthentication_needed', { detail: 'Please type your password once more.' }),
          ),
    )
    server.on('POST', '/api/auth/prove', () => {
      isProved = true
      return { status: 204 }
    })
  })

  it('runs once the password is entered', async () => {
    const app = await openShell()
    const request = unwrap(api.DELETE('/api/account/second-factor'))
    const dialog = await screen.findByRole('dialog', { name: "Confirm it's you" })
    await app.user.type(within(dialog).getByLabelText(/^Password/, { selector: 'input' }), 'correct horse')
    await app.user.click(within(dialog).getByRole('button', { name: 'Continue' }))
    await expect(request).resolves.toBeUndefined()
    expect(screen.queryByRole('dialog', { name: "Confirm it's you" })).not.toBeInTheDocument()
    expect(server.requests.filter(({ method }) => method === 'DELETE')).toHaveLength(2)
  })

  it('runs with a passkey where the browser has one', async () => {
    const bytes = new Uint8Array([1, 2, 3]).buffer
    const used = {
      id: 'AQID',
      rawId: bytes,
      type: 'public-key',
      response: { authenticatorData: bytes, clientDataJSON: bytes, signature: bytes, userHandle: bytes },
    }
    const get = vi.fn<() => Promise<unknown>>().mockResolvedValue(used)
    vi.stubGlobal('PublicKeyCredential', vi.fn())
    Object.defineProperty(navigator, 'credentials', { configurable: true, value: { get } })
    server.on('GET', '/api/account/passkeys', {
      body: [{ id: 'p1', name: 'Phone', createdAt: '2026-09-15T14:00:00Z', lastUsedAt: null }],
    })
    server.on('POST', '/api/auth/prove/passkey/challenge', {
      status: 201,
      body: { challenge: 'once', publicKey: { challenge: 'AQID', userVerification: 'required' } },
    })
    server.on('POST', '/api/auth/prove/passkey', () => {
      isProved = true
      return { status: 204 }
    })
    const app = await openShell()
    const done = unwrap(api.DELETE('/api/account/second-factor'))
    const dialog = await screen.findByRole('dialog', { name: "Confirm it's you" })
    await app.user.click(await within(dialog).findByRole('button', { name: 'Use a passkey' }))
    await expect(done).resolves.toBeUndefined()
    expect(await lastRequestBody(server, 'POST', '/api/auth/prove/passkey')).toMatchObject({
      challenge: 'once',
      credential: { id: 'AQID', response: { userHandle: 'AQID' } },
    })
    expect(get).toHaveBeenCalledWith({
      publicKey: expect.objectContaining({ userVerification: 'required' }) as unknown,
    })
    vi.unstubAllGlobals()
    Reflect.deleteProperty(navigator, 'credentials')
  })

  it('does not run when cancelled', async () => {
    const app = await openShell()
    const request = unwrap(api.DELETE('/api/account/second-factor')).catch((error: unknown) => error)
    const dialog = await screen.findByRole('dialog', { name: "Confirm it's you" })
    await app.user.click(within(dialog).getByRole('button', { name: 'Cancel' }))
    expect(await request).toMatchObject({ code: 'reauthentication_needed' })
    expect(server.requests.filter(({ method }) => method === 'DELETE')).toHaveLength(1)
  })
})
