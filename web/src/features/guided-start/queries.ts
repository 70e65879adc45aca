// Steps of the set-up. The dashboard reads this module too: everything else of the guided start is fetched when it is opened.
import { queryOptions } from '@tanstack/react-query'
import { api, type Schema, unwrap } from '@/api/client'

export type SetupStep = Schema['SetupStep']
export type SetupStepKey = Schema['SetupStepKey']

/** Below the settings, which live events refresh. */
const setupKey = (orgId: string) => ['org', orgId, 'settings', 'setup'] as const

export const setupQueries = {
  all: setupKey,
  steps: (orgId: string) =>
    queryOptions({
      queryKey: [...setupKey(orgId), 'steps'] as const,
      queryFn: ({ signal }) => unwrap(api.GET('/api/setup', { signal })),
      // Crews, leads and card payments change it without an event of the settings.
      staleTime: 0,
    }),
}

/** What the dashboard lists. */
export const listMissingSteps = (steps: readonly SetupStep[]): SetupStep[] =>
  steps.filter(({ isDone, isHidden }) => !isDone && !isHidden)
