// Confirmation before unsaved input is lost by a link, reload or close.
import { useEffect, useState } from 'react'
import { useNavigate } from 'react-router-dom'
import { DEMO_PATH, isDemoMode, isDemoPath } from '@/lib/demo'
import { hasDirtyForm, useHasDirtyForm } from '@/lib/dirty-forms'
import { t } from '@/lib/i18n'
import { Button } from './button'
import { Dialog } from './dialog'

/** Router path: without the demonstration's base. */
const toRouterPath = (pathname: string) => (isDemoMode() ? pathname.slice(DEMO_PATH.length) || '/' : pathname)

/** Undefined for clicks that stay or leave the app. */
function getInAppTarget(event: MouseEvent): string | undefined {
  if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey)
    return undefined
  const link = event.target instanceof Element ? event.target.closest('a[href]') : null
  if (!(link instanceof HTMLAnchorElement) || link.target === '_blank' || link.origin !== globalThis.location.origin)
    return undefined
  // Between app and demonstration the browser asks.
  if (isDemoPath(link.pathname) !== isDemoMode() || link.pathname === globalThis.location.pathname) return undefined
  return `${toRouterPath(link.pathname)}${link.search}${link.hash}`
}

export function UnsavedChangesGuard() {
  const isDirty = useHasDirtyForm()
  const navigate = useNavigate()
  const [target, setTarget] = useState<string>()

  useEffect(() => {
    if (!isDirty) return
    const holdClick = (event: MouseEvent) => {
      const to = getInAppTarget(event)
      if (to === undefined || !hasDirtyForm()) return
      event.preventDefault()
      event.stopPropagation()
      setTarget(to)
    }
    const holdPage = (event: BeforeUnloadEvent) => event.preventDefault()
    // Before the router.
    document.addEventListener('click', holdClick, true)
    globalThis.addEventListener('beforeunload', holdPage)
    return () => {
      document.removeEventListener('click', holdClick, true)
      globalThis.removeEventListener('beforeunload', holdPage)
    }
  }, [isDirty])

  const leave = () => {
    if (target === undefined) return
    setTarget(undefined)
    void navigate(target)
  }
  return (
    <Dialog
      open={target !== undefined}
      onClose={() => setTarget(undefined)}
      title={t('Leave without saving?')}
      actions={
        <>
          <Button variant="danger" onClick={leave}>
            {t('Leave without saving')}
          </Button>
          <Button onClick={() => setTarget(undefined)}>{t('Stay here')}</Button>
        </>
      }
    >
      <p className="text-muted">{t('What you changed on this page has not been saved yet.')}</p>
    </Dialog>
  )
}
