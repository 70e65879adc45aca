// What every screen stands in: addresses, the query cache, the last net for errors, and the toasts.
import type { ReactNode } from 'react'
import { BrowserRouter } from 'react-router-dom'
import { OfflineCache } from '@/offline/offline-cache'
import { ToastViewport } from '@/ui/toast/toast-viewport'
import { CrashBoundary } from './crash-boundary'
import { queryClient } from './query-client'

export function Providers({ children }: { children: ReactNode }) {
  return (
    <CrashBoundary>
      <OfflineCache client={queryClient}>
        <BrowserRouter>{children}</BrowserRouter>
        <ToastViewport />
      </OfflineCache>
    </CrashBoundary>
  )
}
