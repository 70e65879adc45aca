// Where toasts appear: at the top, below the bar, where bars stand at the bottom; bottom right where none do. F8 goes
// there, a swipe to the right closes.
import { useEffect, useRef, useSyncExternalStore } from 'react'
import { classNames } from '@/lib/class-names'
import { currentToasts, subscribeToToasts } from './toast-store'
import { ToastCard } from './toast-card'

const HOTKEY = 'F8'
/** Below the bar, or over a dialog, which has its own head and comes from below. From 768 px on no wider than is read at a glance. */
const AT_TOP =
  'inset-x-0 top-[calc(var(--sai-top)+var(--bar-height))] bottom-auto w-auto max-lg:[html:has(dialog[open])_&]:top-(--sai-top) md:left-auto md:w-full md:max-w-[420px]'
/** From 1024 px on the links stand at the side, and nothing at the bottom. */
const AT_BOTTOM_RIGHT = 'lg:top-auto lg:right-0 lg:bottom-0 lg:pb-[calc(.75rem+var(--sai-bottom))]'

export function ToastViewport() {
  const toasts = useSyncExternalStore(subscribeToToasts, currentToasts)
  const list = useRef<HTMLOListElement>(null)
  const viewport = useRef<HTMLElement>(null)
  const newest = toasts.find(({ open }) => open)?.id

  // A dialog lies in the browser's top layer, above everything else: each toast goes there anew, above the dialog.
  // Browsers that lack it show the toast beneath.
  useEffect(() => {
    const element = viewport.current
    if (newest === undefined || typeof element?.showPopover !== 'function') return
    element.popover = 'manual'
    element.showPopover()
    return () => element.hidePopover()
  }, [newest])

  useEffect(() => {
    const focusList = (event: KeyboardEvent) => {
      if (event.key !== HOTKEY) return
      event.preventDefault()
      list.current?.focus()
    }
    document.addEventListener('keydown', focusList)
    return () => document.removeEventListener('keydown', focusList)
  }, [])

  return (
    <section
      ref={viewport}
      aria-label="Notifications (F8)"
      className={classNames(
        'pointer-events-none fixed z-50 m-0 block overflow-visible border-0 bg-transparent p-3 text-base-content',
        AT_TOP,
        AT_BOTTOM_RIGHT,
      )}
    >
      <ol ref={list} tabIndex={-1} className="grid gap-2 rounded-box">
        {toasts
          .filter(({ open }) => open)
          .map((toast) => (
            <ToastCard key={toast.id} toast={toast} />
          ))}
      </ol>
    </section>
  )
}
