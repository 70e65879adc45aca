// API key and webhook queries and mutations.
import { queryOptions, useMutation } from '@tanstack/react-query'
import { api, type Schema, unwrap } from '@/api/client'
import { useCurrentUser } from '@/features/session/use-session'
import { settingsQueries } from '../queries'

export type ApiKey = Schema['ApiKey']
export type ApiScope = Schema['ApiScope']
export type Webhook = Schema['Webhook']
export type WebhookCall = Schema['WebhookCall']
export type WebhookEvent = Schema['WebhookEvent']
export type WebhookForm = { url: string; about: string | null; events: WebhookEvent[] }

export const developerMessages = {
  keysFailed: { title: 'Keys could not be loaded', description: 'The list did not arrive. Please try again.' },
  keyMade: { title: 'Key made', description: 'Copy it now: it is shown this once.' },
  keyNotMade: { title: 'No key was made', description: 'Please try again.' },
  keyRevoked: { title: 'Key deleted', description: 'It no longer works.' },
  keyNotRevoked: { title: 'The key still works', description: 'The server did not take the change. Please try again.' },
  hooksFailed: { title: 'Webhooks could not be loaded', description: 'The list did not arrive. Please try again.' },
  hookAdded: { title: 'Webhook added', description: 'Copy its signing secret now: it is shown this once.' },
  hookSaved: { title: 'Webhook saved' },
  hookFailed: { title: 'Webhook not saved', description: 'Please try again.' },
  hookRemoved: { title: 'Webhook removed', description: 'It gets no more events.' },
  hookNotRemoved: {
    title: 'Webhook not removed',
    description: 'The server did not take the change. Please try again.',
  },
  secretMade: { title: 'New secret in place', description: 'For a day the old secret signs too.' },
  secretNotMade: { title: 'The secret is the same as before', description: 'Please try again.' },
  tested: { title: 'Test is on its way', description: 'The log shows what became of it.' },
  notTested: { title: 'Test not sent', description: 'Please try again.' },
  callsFailed: { title: 'Log could not be loaded', description: 'The list did not arrive. Please try again.' },
  calledAgain: { title: 'Calling again' },
  notCalledAgain: { title: 'Not called again', description: 'Please try again.' },
  copied: { title: 'Copied', description: 'Paste it where the program keeps its secrets.' },
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
