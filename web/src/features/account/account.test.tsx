import { screen, waitFor, within } from '@testing-library/react'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Schema } from '@/api/client'
import { buildId, buildProblem, buildUser } from '@/testing/builders'
import { type FakeServer, buildProblemResponse, startFakeServer } from '@/testing/fake-server'
import { lastRequestBody } from '@/testing/open-job'
import { loadAccount } from '@/testing/load-screens'
import { renderApp } from '@/testing/render-app'
import { deviceName } from './device-name'

let server: FakeServer
let secondFactor: Schema['SecondFactor']
let keys: number
const CODES = ['ABCD-EFGH-IJKL-MNOP', 'QRST-UVWX-YZ23-4567']
const AGENT = 'Mozilla/5.0 (Linux; Android 14) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Mobile Safari/537.36'

const device = (parts: Partial<Schema['SignedInDevice']> = {}): Schema['SignedInDevice'] => ({
  id: buildId(),
  userAgent: AGENT,
  ip: '203.0.113.9',
  signedInAt: '2026-11-20T15:00:00Z',
  lastSeenAt: '2026-11-22T12:00:00Z',
  offlineUntil: '2026-11-23T01:00:00Z',
  isThis: false,
  ...parts,
})

beforeAll(loadAccount)

beforeEach(() => {
  secondFactor = { isOn: false, isRequired: false, recoveryCodesLeft: 0 }
  keys = 0
  server = startFakeServer()
  server.on('GET', '/api/auth/me', { body: buildUser() })
  server.on('GET', '/api/account', () => ({
    body: { passwordChangedAt: '2026-10-01T15:00:00Z', secondFactor, keys, isFresh: true },
  }))
  server.on('GET', '/api/account/devices', { body: [device({ isThis: true }), device({ userAgent: null })] })
})

describe('two-factor sign-in', () => {
  it('is enabled by the app’s first code, and shows recovery codes', async () => {
    server.on('POST', '/api/account/second-factor', {
      status: 201,
      body: {
        secret: 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ',
        address: 'otpauth://totp/Toolbox:olivia',
        qr: { size: 29, path: 'M4 4h7v1h-7z' },
      },
    })
    server.on('POST', '/api/account/second-factor/confirm', () => {
      secondFactor = { isOn: true, isRequired: false, recoveryCodesLeft: 10 }
      return { body: { recoveryCodes: CODES } }
    })
    const app = renderApp('/app/account')
    await app.user.click(await screen.findByRole('button', { name: 'Turn on' }))
    const dialog = await screen.findByRole('dialog', { name: 'Turn on two-step sign-in' })
    await app.user.type(await within(dialog).findByLabelText(/^Code/), '123 456')
    await app.user.click(within(dialog).getByRole('button', { name: 'Turn on' }))
    const list = await screen.findByRole('list', { name: 'Recovery codes' })
    expect(
      within(list)
        .getAllByRole('listitem')
        .map((item) => item.textContent),
    ).toEqual(CODES)
    expect(await screen.findByText('Signing in asks for a code of your authenticator app.')).toBeInTheDocument()
    expect(await lastRequestBody(server, 'POST', '/api/account/second-factor/confirm')).toEqual({ code: '123 456' })
  })

  it('warns when few recovery codes are left, and cannot be disabled where it is required', async () => {
    secondFactor = { isOn: true, isRequired: true, recoveryCodesLeft: 1 }
    renderApp('/app/account')
    expect(await screen.findByText('Only 1 recovery code is left. Make new ones.')).toBeInTheDocument()
    expect(screen.queryByRole('button', { name: 'Turn off' })).not.toBeInTheDocument()
    expect(screen.getByRole('switch', { name: /^Ask everybody for it/ })).toBeChecked()
  })

  it('is required for everyone by an owner who has it', async () => {
    secondFactor = { isOn: true, isRequired: false, recoveryCodesLeft: 10 }
    server.on('PUT', '/api/team/second-factor', { status: 204 })
    const app = renderApp('/app/account')
    await app.user.click(await screen.findByRole('switch', { name: /^Ask everybody for it/ }))
    expect(await screen.findByText('Anyone without a code sets it up at the next sign-in.')).toBeInTheDocument()
    expect(await lastRequestBody(server, 'PUT', '/api/team/second-factor')).toEqual({ isRequired: true })
  })
})

describe('password', () => {
  it('change revokes API keys when ticked', async () => {
    keys = 2
    server.on('POST', '/api/account/password', { status: 204 })
    const app = renderApp('/app/account')
    await app.user.click(await screen.findByRole('button', { name: 'Change password' }))
    await app.user.type(screen.getByLabelText(/^Current password/), 'two blue ladders')
    await app.user.type(screen.getByLabelText(/^New password/), 'three blue ladders')
    await app.user.type(screen.getByLabelText(/^Confirm password/), 'three blue ladders')
    await app.user.click(screen.getByRole('checkbox', { name: /^Also remove the 2 keys I made for programs/ }))
    await app.user.click(screen.getByRole('button', { name: 'Change password' }))
    expect(await screen.findByText('Password changed')).toBeInTheDocument()
    expect(await lastRequestBody(server, 'POST', '/api/account/password')).toEqual({
      currentPassword: 'two blue ladders',
      newPassword: 'three blue ladders',
      takesKeysAway: true,
    })
  })

  it('change requires the current one, and shows errors at their fields', async () => {
    server.on(
      'POST',
      '/api/account/password',
      buildProblemResponse(
        buildProblem(422, 'validation_failed', { errors: { currentPassword: 'This password is not right' } }),
      ),
    )
    const app = renderApp('/app/account')
    await app.user.click(await screen.findByRole('button', { name: 'Change password' }))
    await app.user.type(screen.getByLabelText(/^Current password/), 'not this one')
    await app.user.type(screen.getByLabelText(/^New password/), 'three blue ladders')
    await app.user.type(screen.getByLabelText(/^Confirm password/), 'three blue ladders')
    await app.user.click(screen.getByRole('button', { name: 'Change password' }))
    expect(await screen.findByText('This password is not right')).toBeInTheDocument()
    server.on('POST', '/api/account/password', { status: 204 })
    await app.user.click(screen.getByRole('button', { name: 'Change password' }))
    expect(await screen.findByText('Password changed')).toBeInTheDocument()
    expect(screen.queryByLabelText(/^Current password/)).not.toBeInTheDocument()
  })
})

describe('device list', () => {
  it('names each device, and signs out all but the current one', async () => {
    server.on('DELETE', /^\/api\/account\/devices\//, { status: 204 })
    const app = renderApp('/app/account')
    expect(await screen.findByText('Chrome on Android')).toBeInTheDocument()
    expect(screen.getByText('This device')).toBeInTheDocument()
    expect(screen.queryByRole('button', { name: 'Sign out Chrome on Android' })).not.toBeInTheDocument()
    await app.user.click(screen.getByRole('button', { name: 'Sign out Unknown device' }))
    await waitFor(() => expect(server.requests.some(({ method }) => method === 'DELETE')).toBe(true))
  })

  it('says until when another device can show data without a connection', async () => {
    server.on('GET', '/api/account/devices', {
      body: [device({ isThis: true }), device(), device({ offlineUntil: null })],
    })
    renderApp('/app/account')
    expect(await screen.findByText(/^Without a connection it shows data until .+ at the latest$/)).toBeInTheDocument()
    expect(screen.getByText('Without a connection it shows data only while the app stays open')).toBeInTheDocument()
  })

  it('shows readable device names', () => {
    expect(
      deviceName(
        'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1',
      ),
    ).toBe('Safari on iPhone')
    expect(
      deviceName(
        'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0',
      ),
    ).toBe('Edge on Windows')
    expect(
      deviceName('Mozilla/5.0 (X11; CrOS x86_64 1) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36'),
    ).toBe('Chrome on Chromebook')
    expect(deviceName('curl/8.5.0')).toBe('Another program')
    expect(deviceName(null)).toBe('Unknown device')
  })
})
