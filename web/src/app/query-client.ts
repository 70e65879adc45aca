// The one query client: nothing goes stale by itself, nothing is retried by itself, commands say what they refresh.
import { MutationCache, QueryCache, QueryClient, type QueryKey } from '@tanstack/react-query'
import { ApiError } from '@/api/client'
import { describeError, type ErrorText } from '@/api/errors'
import { sessionExpired } from '@/api/session-expired'
import { MAX_AGE_MS } from '@/offline/persister'
import { toast } from '@/ui/toast/toast-store'

type QueryMeta = {
  /** Kept on this device for an offline start. */
  offline?: boolean
  /** A person typed it: it is kept at once. */
  isTyped?: boolean
}

type MutationMeta = {
  /** Toast after success. */
  success?: { title: string; description?: string }
  /** Toast after failure; false when the screen itself says it. Its description speaks where the server's is silent. */
  failure: ErrorText | false | ((error: Error) => ErrorText | false)
  /** The program does it by itself: a demonstration refuses it without a word. */
  isUnasked?: boolean
  /** Keep title and description letter for letter, whatever the server says. */
  failureIsFixed?: boolean
  /** Queries to fetch anew after success. */
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

/** Its words are the demonstration's own, and there with it. */
async function reportRefusal(): Promise<void> {
  const { sayRefused } = await import('@/ui/toast/demo-refusal')
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
      // As long as on the device, or it would be dropped from there too.
      gcTime: MAX_AGE_MS,
      retry: false,
      refetchOnWindowFocus: false,
      refetchOnReconnect: false,
      // A request without a network fails at once and says so, instead of waiting unseen.
      networkMode: 'always',
    },
    mutations: { retry: false, networkMode: 'always' },
  },
})
