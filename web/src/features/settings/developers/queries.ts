// API key and webhook queries and mutations.
import { queryOptions, useMutation } from '@tanstack/react-query'
import { api, type Schema, unwrap } from '@/api/client'
import { useCurrentUser } from '@/features/session/use-session'
import { t } from '@/lib/i18n'
import { settingsQueries } from '../queries'

export type ApiKey = Schema['ApiKey']
export type ApiScope = Schema['ApiScope']
export type Webhook = Schema['Webhook']
export type WebhookCall = Schema['WebhookCall']
export type WebhookEvent = Schema['WebhookEvent']
export type WebhookForm = { url: string; about: string | null; events: WebhookEvent[] }

export const developerMessages = {
  keysFailed: { title: t('Keys could not be loaded'), description: t('The list did not arrive. Please try again.') },
  keyMade: { title: t('Key made'), description: t('Copy it now: it is shown this once.') },
  keyNotMade: { title: t('No key was made'), description: t('Please try again.') },
  keyRevoked: { title: t('Key deleted'), description: t('It no longer works.') },
  keyNotRevoked: {
    title: t('The key still works'),
    description: t('The server did not take the change. Please try again.'),
  },
  hooksFailed: {
    title: t('Webhooks could not be loaded'),
    description: t('The list did not arrive. Please try again.'),
  },
  hookAdded: { title: t('Webhook added'), description: t('Copy its signing secret now: it is shown this once.') },
  hookSaved: { title: t('Webhook saved') },
  hookFailed: { title: t('Webhook not saved'), description: t('Please try again.') },
  hookRemoved: { title: t('Webhook removed'), description: t('It gets no more events.') },
  hookNotRemoved: {
    title: t('Webhook not removed'),
    description: t('The server did not take the change. Please try again.'),
  },
  secretMade: { title: t('New secret in place'), description: t('For a day the old secret signs too.') },
  secretNotMade: { title: t('The secret is the same as before'), description: t('Please try again.') },
  tested: { title: t('Test is on its way'), description: t('The log shows what became of it.') },
  notTested: { title: t('Test not sent'), description: t('Please try again.') },
  callsFailed: { title: t('Log could not be loaded'), description: t('The list did not arrive. Please try again.') },
  calledAgain: { title: t('Calling again') },
  notCalledAgain: { title: t('Not called again'), description: t('Please try again.') },
  copied: { title: t('Copied'), description: t('Paste it where the program keeps its secrets.') },
}

/** A call is made within seconds: while the log is open it is looked at again. */
const POLL_INTERVAL_MS = 5_000

export const developerQueries = {
  keys: (orgId: string) =>
    queryOptions({
      queryKey: [...settingsQueries.all(orgId), 'api-keys'] as const,
      queryFn: ({ signal }) => unwrap(api.GET('/api/org/{orgId}/api-keys', { params: { path: { orgId } }, signal })),
      staleTime: 0,
    }),
  hooks: (orgId: string) =>
    queryOptions({
      queryKey: [...settingsQueries.all(orgId), 'hooks'] as const,
      queryFn: ({ signal }) => unwrap(api.GET('/api/org/{orgId}/webhooks', { params: { path: { orgId } }, signal })),
      staleTime: 0,
    }),
  calls: (orgId: string, id: string) =>
    queryOptions({
      queryKey: [...settingsQueries.all(orgId), 'hook-calls', id] as const,
      queryFn: ({ signal }) =>
        unwrap(api.GET('/api/org/{orgId}/webhooks/{id}/calls', { params: { path: { orgId, id } }, signal })),
      staleTime: 0,
      refetchInterval: POLL_INTERVAL_MS,
    }),
}

/** Only its response contains the key; it is kept no longer than the screen that shows it. */
export function useCreateApiKey() {
  const { orgId } = useCurrentUser()
  return useMutation({
    mutationFn: (body: { name: string; scopes: ApiScope[] }) =>
      unwrap(api.POST('/api/org/{orgId}/api-keys', { params: { path: { orgId } }, body })),
    gcTime: 0,
    // Errors are shown at the fields.
    meta: { success: developerMessages.keyMade, failure: false, invalidates: [developerQueries.keys(orgId).queryKey] },
  })
}

export function useRevokeApiKey() {
  const { orgId } = useCurrentUser()
  return useMutation({
    mutationFn: (id: string) =>
      unwrap(api.DELETE('/api/org/{orgId}/api-keys/{id}', { params: { path: { orgId, id } } })),
    meta: {
      success: developerMessages.keyRevoked,
      failure: developerMessages.keyNotRevoked,
      invalidates: [developerQueries.keys(orgId).queryKey],
    },
  })
}

export function useAddWebhook() {
  const { orgId } = useCurrentUser()
  return useMutation({
    mutationFn: (body: WebhookForm) =>
      unwrap(api.POST('/api/org/{orgId}/webhooks', { params: { path: { orgId } }, body })),
    gcTime: 0,
    meta: {
      success: developerMessages.hookAdded,
      failure: false,
      invalidates: [developerQueries.hooks(orgId).queryKey],
    },
  })
}

export function useUpdateWebhook(id: string) {
  const { orgId } = useCurrentUser()
  return useMutation({
    mutationFn: (body: Partial<WebhookForm> & { isOn?: boolean }) =>
      unwrap(api.PATCH('/api/org/{orgId}/webhooks/{id}', { params: { path: { orgId, id } }, body })),
    meta: {
      success: developerMessages.hookSaved,
      failure: developerMessages.hookFailed,
      invalidates: [developerQueries.hooks(orgId).queryKey],
    },
  })
}

export function useRemoveWebhook(id: string) {
  const { orgId } = useCurrentUser()
  return useMutation({
    mutationFn: () => unwrap(api.DELETE('/api/org/{orgId}/webhooks/{id}', { params: { path: { orgId, id } } })),
    meta: {
      success: developerMessages.hookRemoved,
      failure: developerMessages.hookNotRemoved,
      invalidates: [developerQueries.hooks(orgId).queryKey],
    },
  })
}

export function useRotateWebhookSecret(id: string) {
  const { orgId } = useCurrentUser()
  return useMutation({
    mutationFn: () => unwrap(api.POST('/api/org/{orgId}/webhooks/{id}/secret', { params: { path: { orgId, id } } })),
    gcTime: 0,
    meta: {
      success: developerMessages.secretMade,
      failure: developerMessages.secretNotMade,
      invalidates: [developerQueries.hooks(orgId).queryKey],
    },
  })
}

export function useTestWebhook(id: string) {
  const { orgId } = useCurrentUser()
  return useMutation({
    mutationFn: () => unwrap(api.POST('/api/org/{orgId}/webhooks/{id}/test', { params: { path: { orgId, id } } })),
    meta: {
      success: developerMessages.tested,
      failure: developerMessages.notTested,
      invalidates: [developerQueries.calls(orgId, id).queryKey],
    },
  })
}

export function useRetryWebhookCall(id: string) {
  const { orgId } = useCurrentUser()
  return useMutation({
    mutationFn: (callId: string) =>
      unwrap(
        api.POST('/api/org/{orgId}/webhooks/{id}/calls/{callId}/retry', { params: { path: { orgId, id, callId } } }),
      ),
    meta: {
      success: developerMessages.calledAgain,
      failure: developerMessages.notCalledAgain,
      invalidates: [developerQueries.calls(orgId, id).queryKey],
    },
  })
}
