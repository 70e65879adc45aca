// What every screen stands in: addresses, the query cache, the last net for errors, and the toasts.
import { QueryClientProvider } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { BrowserRouter } from 'react-router-dom'
import { DEMO_PATH, inDemo } from '@/lib/demo'
import { OfflineCache } from '@/offline/offline-cache'
import { CrashBoundary } from '@/ui/crash-boundary'
import { ToastViewport } from '@/ui/toast/toast-viewport'
import { queryClient } from './query-client'

export function Providers({ children }: { children: ReactNode }) {
  // The demonstration keeps nothing on this device, and finds nothing there.
  const Cache = inDemo() ? QueryClientProvider : OfflineCache
  return (
    <CrashBoundary>
      <Cache client={queryClient}>
        <BrowserRouter basename={inDemo() ? DEMO_PATH : '/'}>{children}</BrowserRouter>
        <ToastViewport />
      </Cache>
    </CrashBoundary>
  )
}
