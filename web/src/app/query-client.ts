// Query client: no automatic staleness or retries; mutations declare toasts and invalidations in `meta`.
import { MutationCache, QueryCache, QueryClient, type QueryKey } from '@tanstack/react-query'
import { ApiError } from '@/api/client'
import { describeError, type ErrorText } from '@/api/errors'
import { sessionExpired } from '@/api/session-expired'
import { MAX_AGE_MS } from '@/offline/persister'
import { toast } from '@/ui/toast/toast-store'

type QueryMeta = {
  /** Persisted for an offline start. */
  offline?: boolean
  /** User input: persisted at once. */
  isTyped?: boolean
}

type MutationMeta = {
  success?: { title: string; description?: string }
  /** Toast after failure; false where the screen shows it. The description applies where the server sends none. */
  failure: ErrorText | false | ((error: Error) => ErrorText | false)
  /** Triggered by the app, not a person: the demonstration refuses it silently. */
  isUnasked?: boolean
  /** Keeps title and description whatever the server says. */
  failureIsFixed?: boolean
  /** Queries to invalidate after success. */
  invalidates?: readonly QueryKey[]
}

declare module '@tanstack/react-query' {
  // oxlint-disable-next-line typescript/consistent-type-definitions -- only an interface can be merged
  interface Register {
    queryMeta: QueryMeta
    mutationMeta: MutationMeta
  }
}

function reportExpiry(error: unknown): void {
  if (error instanceof ApiError && error.code === 'unauthenticated') sessionExpired.report()
}

function failureText(error: unknown, text: ErrorText, isFixed: boolean): ErrorText {
  return isFixed ? text : { title: text.title, description: describeError(error, text).description }
}

const isRefusedInDemo = (error: unknown) => error instanceof ApiError && error.code === 'demo_read_only'

/** Loaded with the demonstration only. */
async function reportRefusal(): Promise<void> {
  const { showDemoRefusal: sayRefused } = await import('@/ui/toast/demo-refusal')
  sayRefused()
}

const mutationCache: MutationCache = new MutationCache({
  onSuccess: async (_data, _variables, _result, mutation) => {
    const { success, invalidates = [] } = mutation.meta ?? {}
    if (success) toast.success(success.title, success.description)
    await Promise.all(invalidates.map((queryKey) => queryClient.invalidateQueries({ queryKey })))
  },
  onError: (error, _variables, _result, mutation) => {
    reportExpiry(error)
    const { failure, failureIsFixed = false, isUnasked = false } = mutation.meta ?? {}
    if (isRefusedInDemo(error)) {
      if (!isUnasked) void reportRefusal()
      return
    }
    const text = typeof failure === 'function' ? failure(error) : failure
    if (!text) return
    const { title, description } = failureText(error, text, failureIsFixed)
    toast.error(title, description)
  },
})

export const queryClient: QueryClient = new QueryClient({
  queryCache: new QueryCache({ onError: reportExpiry }),
  mutationCache,
  defaultOptions: {
    queries: {
      staleTime: Infinity,
      // Matches the persisted age; a shorter time would drop persisted data.
      gcTime: MAX_AGE_MS,
      retry: false,
      refetchOnWindowFocus: false,
      refetchOnReconnect: false,
      // Offline requests fail at once instead of being paused.
      networkMode: 'always',
    },
    mutations: { retry: false, networkMode: 'always' },
  },
})
