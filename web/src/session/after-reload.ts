// A toast that would die with the page it is shown on is said again on the next one.
import { readJson, remove, writeJson } from '@/lib/storage'
import { toast } from '@/ui/toast/toast-store'

const KEY = 'toolbox.toast-after-reload'

type KeptToast = { title: string; description: string }

function isKeptToast(value: unknown): value is KeptToast {
  return (
    typeof value === 'object' &&
    value !== null &&
    'title' in value &&
    'description' in value &&
    typeof value.title === 'string' &&
    typeof value.description === 'string'
  )
}

export function keepToastForNextPage(kept: KeptToast): void {
  writeJson(sessionStorage, KEY, kept)
}

/** Shows what was kept, once. Called at the app's start. */
export function showKeptToast(): void {
  const kept = readJson(sessionStorage, KEY)
  remove(sessionStorage, KEY)
  if (isKeptToast(kept)) toast.success(kept.title, kept.description)
}
