import { screen } from '@testing-library/react'
import { beforeAll, expect, it, vi } from 'vitest'
import { buildLead, buildUser } from '@/testing/builders'
import { startFakeServer } from '@/testing/fake-server'
import { loadLeadScreens } from '@/testing/load-screens'
import { renderApp } from '@/testing/render-app'

vi.mock('@/features/settings/settings.route', () => ({
  Component: () => {
    throw new Error('a fault of ours')
  },
}))

beforeAll(loadLeadScreens)

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
