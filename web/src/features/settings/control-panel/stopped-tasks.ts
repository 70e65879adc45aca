import { queryOptions, useMutation } from '@tanstack/react-query'
import { api, type Schema, unwrap, unwrapWithResponse } from '@/api/client'
import { formatCount } from '@/lib/format/number'
import { useCurrentUser } from '@/features/session/use-session'
import { plural, t } from '@/lib/i18n'
import { toast } from '@/ui/toast/toast-store'
import { POLL_INTERVAL_MS, settingsQueries } from '../queries'

export const stoppedTaskMessages = {
  failed: { title: t('The list could not be loaded'), description: t('The answer did not arrive. Please try again.') },
  none: t('Nothing has stopped.'),
  retried: { title: t('Trying again'), description: t('It is at work now. Should it stop again, it comes back here.') },
  retryFailed: { title: t('Not started'), description: t('The server could not start it again. Please try again.') },
} as const

/** As many stand in the list; trying all again takes those beyond it too. */
const MAX_SHOWN = 50

export type StoppedTasks = { total: number; tasks: Schema['Task'][] }

async function fetchStopped(signal: AbortSignal): Promise<StoppedTasks> {
  const { data, response } = await unwrapWithResponse(
    api.GET('/api/tasks', { params: { query: { status: 'dead', limit: MAX_SHOWN } }, signal }),
  )
  const total = Number(response.headers.get('X-Total-Count') ?? Number.NaN)
  return { tasks: data, total: Number.isFinite(total) ? total : data.length }
}

export const stoppedTasksQuery = (orgId: string) =>
  queryOptions({
    queryKey: [...settingsQueries.all(orgId), 'stopped'] as const,
    queryFn: ({ signal }) => fetchStopped(signal),
    staleTime: 0,
    refetchInterval: POLL_INTERVAL_MS,
  })

/** What is looked at again once stopped work was started. */
const retryRelatedKeys = (orgId: string) => [
  stoppedTasksQuery(orgId).queryKey,
  settingsQueries.systemStatus(orgId).queryKey,
]

/** Starts one piece of stopped work again. */
export function useRetryTask() {
  const { orgId } = useCurrentUser()
  return useMutation({
    mutationFn: (id: string) => unwrap(api.POST('/api/tasks/{id}/retry', { params: { path: { id } } })),
    meta: {
      success: stoppedTaskMessages.retried,
      failure: stoppedTaskMessages.retryFailed,
      invalidates: retryRelatedKeys(orgId),
    },
  })
}

/** Starts all stopped work again. */
export function useRetryAllTasks() {
  const { orgId } = useCurrentUser()
  return useMutation({
    mutationFn: () => unwrap(api.POST('/api/tasks/retry')),
    onSuccess: ({ revived }) => {
      toast.success(
        stoppedTaskMessages.retried.title,
        plural(
          revived,
          '{count} piece of work is being tried again.',
          '{count} pieces of work are being tried again.',
          { count: formatCount(revived) },
        ),
      )
    },
    meta: { failure: stoppedTaskMessages.retryFailed, invalidates: retryRelatedKeys(orgId) },
  })
}
