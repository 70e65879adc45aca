// Saves one switch, choice or list at once, and offers Undo.
import { useQueryClient } from '@tanstack/react-query'
import { useCurrentUser } from '@/features/session/use-session'
import { useSaveSettings } from './mutations'
import { settingsQueries } from './queries'
import { toastUndo } from './toast-undo'
import type { SettingsPatch } from './types'

/** Whether all that the patch names still is as it says. */
export function isInPlace(saved: unknown, patch: unknown): boolean {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch))
    return JSON.stringify(saved) === JSON.stringify(patch)
  return Object.entries(patch).every(([name, value]) =>
    isInPlace((saved as Readonly<Record<string, unknown>> | undefined)?.[name], value),
  )
}

type Change = {
  /** What changed, as in "Job Tracking: off". */
  what: string
  patch: SettingsPatch
  /** Undoes `patch`, unless somebody changed it again. */
  back: SettingsPatch
}

type Outcome = { onSaved?: () => void; onError?: (error: Error) => void }

export function useSaveWithUndo() {
  const { orgId } = useCurrentUser()
  const client = useQueryClient()
  const { mutate, isPending } = useSaveSettings()
  const undo = ({ patch, back }: Change) => {
    if (isInPlace(client.getQueryData(settingsQueries.settings(orgId).queryKey), patch)) mutate(back)
    else toastUndo.refused()
  }
  const save = (change: Change, { onSaved, onError }: Outcome = {}) =>
    mutate(change.patch, {
      onSuccess: () => {
        onSaved?.()
        toastUndo.offer(() => undo(change), change.what)
      },
      ...(onError ? { onError } : {}),
    })
  return { save, isPending }
}
