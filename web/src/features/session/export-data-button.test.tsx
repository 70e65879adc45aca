import { screen, waitFor } from '@testing-library/react'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { reauthPrompt } from '@/api/reauth-prompt'
import { buildUser } from '@/testing/builders'
import { type FakeServer, startFakeServer } from '@/testing/fake-server'
import { renderWithApp } from '@/testing/render-app'
import { ExportDataButton } from './export-data-button'

let server: FakeServer
let isFresh: boolean
/** Where the browser was sent. */
let sent: string[]

beforeEach(() => {
  sent = []
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function follow(this: HTMLAnchorElement) {
    sent.push(this.pathname)
  })
  server = startFakeServer()
  server.on('GET', '/api/auth/me', { body: buildUser() })
  server.on('GET', '/api/account', () => ({
    body: {
      passwordChangedAt: '2026-10-01T15:00:00Z',
      secondFactor: { isOn: false, isRequired: false, recoveryCodesLeft: 0 },
      keys: 0,
      isFresh,
    },
  }))
})

afterEach(() => vi.restoreAllMocks())

/** Presses the button and answers the dialog. */
async function press(answer: boolean): Promise<{ asked: number }> {
  const seen = { asked: 0 }
  const stop = reauthPrompt.subscribe(() => {
    if (!reauthPrompt.isAsked()) return
    seen.asked += 1
    reauthPrompt.resolve(answer)
  })
  const app = renderWithApp(<ExportDataButton />)
  await app.user.click(await screen.findByRole('link', { name: 'Download everything' }))
  await waitFor(() => expect(server.requests.filter(({ url }) => url.endsWith('/api/account'))).toHaveLength(1))
  await waitFor(() => expect(sent.length + seen.asked).toBeGreaterThan(0))
  stop()
  return seen
}

it('recently reauthenticated: downloads at once', async () => {
  isFresh = true
  expect(await press(false)).toEqual({ asked: 0 })
  expect(sent).toEqual(['/api/organization/export'])
})

it('reauthenticated now: downloads', async () => {
  isFresh = false
  expect(await press(true)).toEqual({ asked: 1 })
  await waitFor(() => expect(sent).toEqual(['/api/organization/export']))
})

it('cancelled: downloads nothing', async () => {
  isFresh = false
  expect(await press(false)).toEqual({ asked: 1 })
  expect(sent).toEqual([])
})
