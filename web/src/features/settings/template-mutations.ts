import { type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query'
import { api, unwrap } from '@/api/client'
import type { Language } from '@/domain/customer'
import { useCurrentUser } from '@/features/session/use-session'
import { settingsMessages as texts } from './messages'
import { settingsQueries } from './queries'
import type { Template, TemplateKind, TemplatePatch } from './types'

function cacheTemplate(client: QueryClient, orgId: string, saved: Template): void {
  client.setQueryData(settingsQueries.templates(orgId).queryKey, (known) =>
    known?.map((one) => (one.kind === saved.kind ? saved : one)),
  )
}

function usePatchTemplate(kind: TemplateKind) {
  const { orgId } = useCurrentUser()
  const client = useQueryClient()
  return {
    mutationFn: (body: TemplatePatch) =>
      unwrap(api.PATCH('/api/org/{orgId}/templates/{kind}', { params: { path: { orgId, kind } }, body })),
    onSuccess: (saved: Template) => cacheTemplate(client, orgId, saved),
    versions: (language: Language) => settingsQueries.versions(orgId, kind, language).queryKey,
  }
}

/** Turns one template on or off. */
export function useToggleTemplate(kind: TemplateKind) {
  const { versions: _none, ...patch } = usePatchTemplate(kind)
  return useMutation({ ...patch, meta: { success: texts.saved, failure: texts.saveFailed } })
}

/** Saves a wording as a new version. */
export function useSaveWording(kind: TemplateKind, language: Language) {
  const { versions, ...patch } = usePatchTemplate(kind)
  return useMutation({
    ...patch,
    meta: { success: texts.templateSaved, failure: texts.templateRefused, invalidates: [versions(language)] },
  })
}

/** Puts our own wording in its place again; the versions before stay in the list. */
export function useResetWording(kind: TemplateKind, language: Language) {
  const { versions, mutationFn, onSuccess } = usePatchTemplate(kind)
  return useMutation({
    mutationFn: () => mutationFn({ language, reset: true }),
    onSuccess,
    meta: { success: texts.templateReset, failure: texts.saveFailed, invalidates: [versions(language)] },
  })
}
