// Navigation after a notification tap in an open window.
import { useEffect } from 'react'
import { hasDirtyForm } from '@/lib/dirty-forms'
import { t } from '@/lib/i18n'
import { toast } from '@/ui/toast/toast-store'

/** Message of sw/push.ts. */
function readUrl(data: unknown): string | undefined {
  if (typeof data !== 'object' || data === null || !('type' in data) || data.type !== 'NAVIGATE') return undefined
  const url = 'url' in data ? data.url : undefined
  return typeof url === 'string' && /^\/(?!\/)/.test(url) ? url : undefined
}

/** Skipped while a form has unsaved input. */
export function usePushNavigation(navigate: (path: string) => unknown): void {
  useEffect(() => {
    const workers = navigator.serviceWorker as ServiceWorkerContainer | undefined
    const listen = ({ data, ports }: MessageEvent<unknown>) => {
      const url = readUrl(data)
      if (url === undefined) return
      ports[0]?.postMessage('HEARD')
      if (hasDirtyForm())
        toast.show(t('You are in the middle of a form'), {
          description: t('Save it first, or open the alert now.'),
          action: { label: t('Open now'), onAction: () => void navigate(url) },
        })
      else void navigate(url)
    }
    workers?.addEventListener('message', listen)
    return () => workers?.removeEventListener('message', listen)
  }, [navigate])
}
