// Gives the query cache to the app: what the device kept first, then what the server says.
import { onlineManager, type QueryClient } from '@tanstack/react-query'
import { PersistQueryClientProvider } from '@tanstack/react-query-persist-client'
import { type ReactNode, useEffect } from 'react'
import { isKept, MAX_AGE_MS, persister, saveOnLeave, SCHEMA_VERSION } from './persister'

type OfflineCacheProps = { client: QueryClient; children: ReactNode }

const OPTIONS = {
  persister,
  maxAge: MAX_AGE_MS,
  buster: SCHEMA_VERSION,
  dehydrateOptions: { shouldDehydrateQuery: isKept, shouldDehydrateMutation: () => false },
}

/** Wraps the app in the query client, filled from the device. */
export function OfflineCache({ client, children }: OfflineCacheProps) {
  useEffect(saveOnLeave, [])
  const refresh = async () => {
    // What was kept is shown at once, and asked for again where there is anybody to ask.
    if (onlineManager.isOnline()) await client.invalidateQueries()
  }
  return (
    <PersistQueryClientProvider client={client} persistOptions={OPTIONS} onSuccess={refresh}>
      {children}
    </PersistQueryClientProvider>
  )
}
