import { screen } from '@testing-library/react'
import { useState } from 'react'
import { flushSync } from 'react-dom'
import { Route, Routes } from 'react-router-dom'
import { beforeEach, expect, it } from 'vitest'
import { currentUserKey } from '@/api/current-user-key'
import { useCurrentUser } from '@/features/session/use-session'
import { buildUser } from '@/testing/builders'
import { startFakeServer } from '@/testing/fake-server'
import { renderWithApp } from '@/testing/render-app'
import { queryClient } from './query-client'
import { RequireAuth } from './require-auth'

let drawn: string[]

function Name() {
  const { name } = useCurrentUser()
  drawn.push(name)
  return <p>{name}</p>
}

/** Lazy content that arrives after the session ended. */
function Screen() {
  const [isThere, setIsThere] = useState(false)
  const arrive = () => {
    queryClient.setQueryData(currentUserKey, null)
    flushSync(() => setIsThere(true))
  }
  return isThere ? (
    <Name />
  ) : (
    <button type="button" onClick={arrive}>
      Arrive
    </button>
  )
}

beforeEach(() => {
  drawn = []
  startFakeServer().on('GET', '/api/auth/me', { body: buildUser({ name: 'Mia Stone' }) })
})

it('lazy content that arrives as the session ends does not crash: the login page appears', async () => {
  const app = renderWithApp(
    <Routes>
      <Route element={<RequireAuth />}>
        <Route path="/app" element={<Screen />} />
      </Route>
      <Route path="/login" element={<h1>Sign in</h1>} />
    </Routes>,
    '/app',
  )
  await app.user.click(await screen.findByRole('button', { name: 'Arrive' }))
  expect(drawn).toContain('Mia Stone')
  expect(await screen.findByRole('heading', { name: 'Sign in' })).toBeInTheDocument()
  expect(screen.queryByText('Mia Stone')).not.toBeInTheDocument()
})
