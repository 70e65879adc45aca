// Asks before a link, a reload or a closed tab takes away what was typed and not saved.
import { useEffect, useState } from 'react'
import { useNavigate } from 'react-router-dom'
import { DEMO_PATH, inDemo, isDemoPath } from '@/lib/demo'
import { hasDirtyForm, useHasDirtyForm } from '@/lib/dirty-forms'
import { Button } from './button'
import { Dialog } from './dialog'

/** The path as the router knows it: in the demonstration without what stands before all of it. */
const routed = (pathname: string) => (inDemo() ? pathname.slice(DEMO_PATH.length) || '/' : pathname)

/** The address within the app that this click leads to; undefined for every other click. */
function leavesFor(event: MouseEvent): string | undefined {
  if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey)
    return undefined
  const link = event.target instanceof Element ? event.target.closest('a[href]') : null
  if (!(link instanceof HTMLAnchorElement) || link.target === '_blank' || link.origin !== globalThis.location.origin)
    return undefined
  // Into the demonstration or out of it is another app: there the browser itself asks.
  if (isDemoPath(link.pathname) !== inDemo() || link.pathname === globalThis.location.pathname) return undefined
  return `${routed(link.pathname)}${link.search}${link.hash}`
}

export function LeaveGuard() {
  const isDirty = useHasDirtyForm()
  const navigate = useNavigate()
  const [target, setTarget] = useState<string>()

  useEffect(() => {
    if (!isDirty) return
    const holdClick = (event: MouseEvent) => {
      const to = leavesFor(event)
      if (to === undefined || !hasDirtyForm()) return
      event.preventDefault()
      event.stopPropagation()
      setTarget(to)
    }
    const holdPage = (event: BeforeUnloadEvent) => event.preventDefault()
    // Before the router hears of it.
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
      title="Leave without saving?"
      actions={
        <>
          <Button variant="danger" onClick={leave}>
            Leave without saving
          </Button>
          <Button onClick={() => setTarget(undefined)}>Stay here</Button>
        </>
      }
    >
      <p className="text-muted">What you changed on this page has not been saved yet.</p>
    </Dialog>
  )
}
