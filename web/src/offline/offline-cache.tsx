// Query client provider: persisted data first, then fresh data.
import { onlineManager, type QueryClient } from '@tanstack/react-query'
import { PersistQueryClientProvider } from '@tanstack/react-query-persist-client'
import { type ReactNode, useEffect } from 'react'
import { shouldPersistQuery, MAX_AGE_MS, persister, startSaveOnLeave, SCHEMA_VERSION } from './persister'

type OfflineCacheProps = { client: QueryClient; children: ReactNode }

const OPTIONS = {
  persister,
  maxAge: MAX_AGE_MS,
  buster: SCHEMA_VERSION,
  dehydrateOptions: { shouldDehydrateQuery: shouldPersistQuery, shouldDehydrateMutation: () => false },
}

export function OfflineCache({ client, children }: OfflineCacheProps) {
  useEffect(startSaveOnLeave, [])
  const refresh = async () => {
    // Persisted data is refetched when online.
    if (onlineManager.isOnline()) await client.invalidateQueries()
  }
  return (
    <PersistQueryClientProvider client={client} persistOptions={OPTIONS} onSuccess={refresh}>
      {children}
    </PersistQueryClientProvider>
  )
}
