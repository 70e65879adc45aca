// Providers of every screen: router, query cache, error boundary, toasts.
import { QueryClientProvider } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { BrowserRouter } from 'react-router-dom'
import { DEMO_PATH, isDemoMode } from '@/lib/demo'
import { OfflineCache } from '@/offline/offline-cache'
import { ErrorBoundary } from '@/ui/error-boundary'
import { ToastViewport } from '@/ui/toast/toast-viewport'
import { queryClient } from './query-client'

export function Providers({ children }: { children: ReactNode }) {
  // The demonstration stores nothing on the device.
  const Cache = isDemoMode() ? QueryClientProvider : OfflineCache
  return (
    <ErrorBoundary>
      <Cache client={queryClient}>
        <BrowserRouter basename={isDemoMode() ? DEMO_PATH : '/'}>{children}</BrowserRouter>
        <ToastViewport />
      </Cache>
    </ErrorBoundary>
  )
}
