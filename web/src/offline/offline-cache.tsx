// Gives the query cache to the app.
import { type QueryClient, QueryClientProvider } from '@tanstack/react-query'
import type { ReactNode } from 'react'

type OfflineCacheProps = { client: QueryClient; children: ReactNode }

/** Wraps the app in the query client. */
export function OfflineCache({ client, children }: OfflineCacheProps) {
  return <QueryClientProvider client={client}>{children}</QueryClientProvider>
}
