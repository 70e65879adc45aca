// Logo mutations.
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api, unwrap } from '@/api/client'
import { useCurrentUser } from '@/features/session/use-session'
import { settingsMessages as texts } from '../messages'
import { settingsQueries } from '../queries'
import type { Organization } from '../types'

function useCacheLogo() {
  const { orgId } = useCurrentUser()
  const client = useQueryClient()
  return {
    orgId,
    keep: (saved: Organization) =>
      void client.setQueryData(
        settingsQueries.organization(orgId).queryKey,
        (known) => known && { ...saved, storage: known.storage },
      ),
  }
}

export function useUploadLogo() {
  const { orgId, keep } = useCacheLogo()
  return useMutation({
    mutationFn: (file: File) => {
      const form = new FormData()
      form.append('logo', file, file.name)
      // The body is made by the serializer, for files have no place in JSON; the empty one satisfies the type.
      return unwrap(
        api.POST('/api/org/{orgId}/logo', {
          params: { path: { orgId } },
          body: { logo: '' },
          bodySerializer: () => form,
        }),
      )
    },
    onSuccess: keep,
    meta: { success: texts.paper.logoSaved, failure: texts.paper.logoFailed },
  })
}

export function useRemoveLogo() {
  const { orgId, keep } = useCacheLogo()
  return useMutation({
    mutationFn: () => unwrap(api.DELETE('/api/org/{orgId}/logo', { params: { path: { orgId } } })),
    onSuccess: keep,
    meta: { success: texts.paper.logoRemoved, failure: texts.paper.logoFailed },
  })
}
