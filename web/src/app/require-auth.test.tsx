// The door: who is behind it is known there until it shuts, whatever the session says by then.
import { screen } from '@testing-library/react'
import { useState } from 'react'
import { flushSync } from 'react-dom'
import { Route, Routes } from 'react-router-dom'
import { beforeEach, expect, it } from 'vitest'
import { meKey } from '@/api/me-key'
import { useCurrentUser } from '@/session/use-session'
import { buildUser } from '@/testing/builders'
import { startFakeServer } from '@/testing/fake-server'
import { renderWithApp } from '@/testing/render-app'
import { queryClient } from './query-client'
import { RequireAuth } from './require-auth'

/** What the door drew, in order. */
let drawn: string[]

function Name() {
  const { name } = useCurrentUser()
  drawn.push(name)
  return <p>{name}</p>
}

/** A part that is fetched late, and comes in the moment after the server said that the session is over. */
function Screen() {
  const [isThere, setIsThere] = useState(false)
  const arrive = () => {
    queryClient.setQueryData(meKey, null)
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

it('a part of a screen that comes in the moment the session ends breaks nothing: the login page comes', async () => {
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
