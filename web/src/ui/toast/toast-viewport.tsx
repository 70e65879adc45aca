// Toast position: over the top bar, else bottom right. F8 focuses, a right swipe closes.
import { useEffect, useRef, useSyncExternalStore } from 'react'
import { classNames } from '@/lib/class-names'
import { t } from '@/lib/i18n'
import { currentToasts, subscribeToToasts } from './toast-store'
import { ToastCard } from './toast-card'

const HOTKEY = 'F8'
/** Over the bar and above sheets, so that the heading of the screen stays in sight; limited width from 768 px. */
const TOP_CLASS = 'inset-x-0 top-(--sai-top) bottom-auto w-auto p-1.5 md:left-auto md:w-full md:max-w-[420px]'
/** From 1024 px the navigation is a sidebar. */
const BOTTOM_RIGHT_CLASS = 'lg:top-auto lg:right-0 lg:bottom-0 lg:p-3 lg:pb-[calc(.75rem+var(--sai-bottom))]'

export function ToastViewport() {
  const toasts = useSyncExternalStore(subscribeToToasts, currentToasts)
  const list = useRef<HTMLOListElement>(null)
  const viewport = useRef<HTMLElement>(null)
  const newest = toasts.find(({ open }) => open)?.id

  // Dialogs are in the top layer: each toast is moved above them by popover, where supported.
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
      aria-label={t('Notifications (F8)')}
      className={classNames(
        'pointer-events-none fixed z-50 m-0 block overflow-visible border-0 bg-transparent text-base-content',
        TOP_CLASS,
        BOTTOM_RIGHT_CLASS,
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
