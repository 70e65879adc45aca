// Renders the app at a path, or one element within its providers.
import { QueryClientProvider } from '@tanstack/react-query'
import { render, type RenderOptions } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import type { ReactNode } from 'react'
import { MemoryRouter, Route, Routes } from 'react-router-dom'
import { Providers } from '@/app/providers'
import { queryClient } from '@/app/query-client'
import { RequireAuth } from '@/app/require-auth'
import { Router } from '@/app/router'
import { DEMO_PATH, resetDemoMode } from '@/lib/demo'
import { ToastViewport } from '@/ui/toast/toast-viewport'

/** Whether React retries a crashed render depends on timing. */
type RenderErrorOptions = Pick<RenderOptions, 'onRecoverableError'>

/** Renders `element` at `path` with the app's own query client and toasts. */
export function renderWithApp(element: ReactNode, path = '/', breaking: RenderErrorOptions = {}) {
  const user = userEvent.setup()
  const view = render(
    <QueryClientProvider client={queryClient}>
      <MemoryRouter initialEntries={[path]}>{element}</MemoryRouter>
      <ToastViewport />
    </QueryClientProvider>,
    breaking,
  )
  return { user, ...view }
}

/** One component within the session guard. */
export function renderSignedIn(element: ReactNode, path = '/') {
  return renderWithApp(
    <Routes>
      <Route element={<RequireAuth />}>
        <Route path="*" element={element} />
      </Route>
    </Routes>,
    path,
  )
}

/** As after a reload: no fetched data. */
export const clearQueryCache = () => queryClient.clear()

/** The app as a visitor at `path` meets it. */
export function renderApp(path: string, breaking: RenderErrorOptions = {}) {
  return renderWithApp(<Router />, path, breaking)
}

/** The whole page that a browser loads at this address of the demonstration. */
export function renderDemo(path = '') {
  history.replaceState(null, '', `${DEMO_PATH}${path}`)
  resetDemoMode()
  const user = userEvent.setup()
  const view = render(
    <Providers>
      <Router />
    </Providers>,
  )
  return { user, ...view }
}
