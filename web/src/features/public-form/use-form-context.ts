// Business of a public form; the form works before it is loaded.
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useSearchParams } from 'react-router-dom'
import { ApiError, type Schema } from '@/api/client'
import { publicFormQueries } from './queries'

export type PublicForm = {
  /** Slug or id from the address. */
  org: string | null
  context: Schema['FormContext'] | undefined
  isNotSetUp: boolean
  /** The address names a business that does not exist. */
  isUnknown: boolean
  isChecking: boolean
  checkAgain: () => void
  /** The business as known, fetched now if it was not. */
  ensureContext: () => Promise<Schema['FormContext']>
  /** The next request gets a token of its own. */
  renew: () => void
}

/** True when no business is registered yet. */
export function isNotSetUpError(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'business_not_set_up'
}

export function usePublicForm(): PublicForm {
  const [search] = useSearchParams()
  // The second is how the form's own field is called.
  const org = [search.get('org'), search.get('orgId')].find((name) => name?.trim()) ?? null
  const queryClient = useQueryClient()
  const query = useQuery(publicFormQueries.context(org))
  return {
    org,
    context: query.data,
    isNotSetUp: isNotSetUpError(query.error),
    isUnknown: query.error instanceof ApiError && query.error.code === 'not_found',
    isChecking: query.isFetching,
    checkAgain: () => void query.refetch(),
    ensureContext: () => queryClient.ensureQueryData(publicFormQueries.context(org)),
    renew: () => void queryClient.invalidateQueries({ queryKey: publicFormQueries.context(org).queryKey }),
  }
}
