import { screen, waitFor, within } from '@testing-library/react'
import { useEffect } from 'react'
import { Route, Routes } from 'react-router-dom'
import { beforeAll, expect, it, vi } from 'vitest'
import { reauthPrompt } from '@/api/reauth-prompt'
import { buildLead, buildUser } from '@/testing/builders'
import { startFakeServer } from '@/testing/fake-server'
import { loadLeadScreens } from '@/testing/load-screens'
import { renderApp, renderWithApp } from '@/testing/render-app'
import { RequireAuth } from '../require-auth'
import { Component as StaffShell } from './staff-shell'

vi.mock('@/features/settings/settings.route', () => ({
  Component: () => {
    throw new Error('a fault of ours')
  },
}))

beforeAll(() => Promise.all([loadLeadScreens(), import('@/features/auth/reauth-dialog')]))

it('crashed screen: the navigation stays and leads on to a working screen', async () => {
  const reported = vi.fn<(error: unknown) => void>()
  vi.stubGlobal('reportError', reported)
  vi.spyOn(console, 'error').mockImplementation(() => undefined)
  const user = buildUser()
  const server = startFakeServer()
  server.on('GET', '/api/auth/me', { body: user })
  server.on('GET', `/api/leads/${user.orgId}`, {
    body: [buildLead({ name: 'Ana Arroyo' })],
    headers: { 'X-Total-Count': '1' },
  })
  const app = renderApp('/app/settings', { onRecoverableError: () => undefined })
  expect(await screen.findByRole('heading', { level: 1, name: 'Something went wrong' })).toBeInTheDocument()
  expect(screen.getByRole('button', { name: 'Load again' })).toBeInTheDocument()
  expect(screen.getAllByRole('main')).toHaveLength(1)
  expect(reported).toHaveBeenCalled()
  await app.user.click(screen.getAllByRole('link', { name: 'Leads' })[0] ?? document.body)
  expect(await screen.findByText('Ana Arroyo')).toBeInTheDocument()
  expect(screen.queryByText('Something went wrong')).not.toBeInTheDocument()
})

it('question asked before the shell listens: opens the dialog', async () => {
  const answered = vi.fn<(isProved: boolean) => void>()
  function AskingScreen() {
    // Effects of a screen run before those of the shell around it.
    useEffect(() => void reauthPrompt.ask().then(answered), [])
    return null
  }
  const server = startFakeServer()
  server.on('GET', '/api/auth/me', { body: buildUser() })
  const app = renderWithApp(
    <Routes>
      <Route element={<RequireAuth />}>
        <Route element={<StaffShell />}>
          <Route path="*" element={<AskingScreen />} />
        </Route>
      </Route>
    </Routes>,
  )
  const dialog = await screen.findByRole('dialog', { name: "Confirm it's you" })
  expect(answered).not.toHaveBeenCalled()
  await app.user.click(within(dialog).getByRole('button', { name: 'Cancel' }))
  await waitFor(() => expect(answered).toHaveBeenCalledExactlyOnceWith(false))
})
