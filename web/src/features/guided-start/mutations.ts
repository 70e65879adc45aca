// Hides the list of the dashboard, and shows it again.
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api, unwrap } from '@/api/client'
import { useCurrentUser } from '@/features/session/use-session'
import { settingsQueries } from '@/features/settings/queries'
import type { Settings } from '@/features/settings/types'
import { toast } from '@/ui/toast/toast-store'
import { startMessages } from './messages'
import { setupQueries } from './queries'

const texts = startMessages.list

function useSetupListChange(isHidden: boolean) {
  const { orgId } = useCurrentUser()
  const client = useQueryClient()
  return {
    mutationFn: () =>
      unwrap(
        api.PATCH('/api/org/{orgId}/settings', { params: { path: { orgId } }, body: { setupList: { isHidden } } }),
      ),
    onSuccess: (saved: Settings) => client.setQueryData(settingsQueries.settings(orgId).queryKey, saved),
    meta: { failure: texts.hideFailed, invalidates: [setupQueries.all(orgId)] },
  }
}

export function useShowSetupList() {
  return useMutation(useSetupListChange(false))
}

/** With Undo. The list is gone by then, so the toast belongs to the mutation, not to the button. */
export function useHideSetupList() {
  const change = useSetupListChange(true)
  const { mutate: show } = useShowSetupList()
  return useMutation({
    ...change,
    onSuccess: (saved: Settings) => {
      change.onSuccess(saved)
      toast.show(texts.hidden.title, {
        description: texts.hidden.description,
        action: { label: texts.undo, onAction: () => show() },
      })
    },
  })
}
