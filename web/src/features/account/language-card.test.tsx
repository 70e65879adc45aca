import { screen, within } from '@testing-library/react'
import { beforeEach, expect, it, vi } from 'vitest'
import { buildProblem, buildUser } from '@/testing/builders'
import { type FakeServer, buildProblemResponse, startFakeServer } from '@/testing/fake-server'
import { lastRequestBody } from '@/testing/open-job'
import { renderSignedIn } from '@/testing/render-app'
import { LanguageCard } from './language-card'

const switchLanguage = vi.hoisted(() => vi.fn<(language: string) => void>())
vi.mock('@/lib/i18n/switch-language', () => ({ switchLanguage, showStoredLanguage: () => undefined }))

let server: FakeServer

beforeEach(() => {
  switchLanguage.mockReset()
  server = startFakeServer()
  server.on('GET', '/api/auth/me', { body: buildUser() })
})

const save = () => screen.findByRole('button', { name: 'Save language' })

it('saves the language at the account, then loads the page in it', async () => {
  server.on('PUT', '/api/account/language', { status: 204 })
  const { user } = renderSignedIn(<LanguageCard />)
  const choice = await screen.findByRole('group', { name: 'Language' })
  expect(within(choice).getByRole('radio', { name: 'English' })).toBeChecked()
  expect(screen.getByText('Español')).toHaveAttribute('lang', 'es')
  await user.click(within(choice).getByRole('radio', { name: 'Español' }))
  expect(switchLanguage).not.toHaveBeenCalled()
  await user.click(await save())
  await vi.waitFor(() => expect(switchLanguage).toHaveBeenCalledExactlyOnceWith('es'))
  expect(await lastRequestBody(server, 'PUT', '/api/account/language')).toEqual({ language: 'es' })
})

it('has nothing to save where the account has the language that is shown', async () => {
  server.on('GET', '/api/auth/me', { body: buildUser({ language: 'en' }) })
  renderSignedIn(<LanguageCard />)
  expect(await save()).toBeDisabled()
})

it('stays in its language where it could not be saved', async () => {
  server.on('PUT', '/api/account/language', buildProblemResponse(buildProblem(503, 'unavailable')))
  const { user } = renderSignedIn(<LanguageCard />)
  await user.click(await screen.findByRole('radio', { name: 'Español' }))
  await user.click(await save())
  expect(await screen.findByText('Not saved')).toBeInTheDocument()
  expect(switchLanguage).not.toHaveBeenCalled()
})

it('needs a connection, and says so', async () => {
  const { user } = renderSignedIn(<LanguageCard />)
  await user.click(await screen.findByRole('radio', { name: 'Español' }))
  vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false)
  globalThis.dispatchEvent(new Event('offline'))
  expect(await screen.findByText('Without a connection nothing can be changed here.')).toBeInTheDocument()
  expect(await save()).toBeDisabled()
})
