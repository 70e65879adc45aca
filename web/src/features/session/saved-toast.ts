// Toast shown after a page reload.
import { readJson, removeItem, writeJson } from '@/lib/storage'
import { toast } from '@/ui/toast/toast-store'

const STORAGE_KEY = 'toolbox.toast-after-reload'

type SavedToast = { title: string; description: string }

function isSavedToast(value: unknown): value is SavedToast {
  return (
    typeof value === 'object' &&
    value !== null &&
    'title' in value &&
    'description' in value &&
    typeof value.title === 'string' &&
    typeof value.description === 'string'
  )
}

export function saveToastForReload(saved: SavedToast): void {
  writeJson(sessionStorage, STORAGE_KEY, saved)
}

/** Shows the kept toast once. Called at the app's start. */
export function showSavedToast(): void {
  const saved = readJson(sessionStorage, STORAGE_KEY)
  removeItem(sessionStorage, STORAGE_KEY)
  if (isSavedToast(saved)) toast.success(saved.title, saved.description)
}
