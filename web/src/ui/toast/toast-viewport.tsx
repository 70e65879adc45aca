// Where toasts appear: top on phones, bottom right from 640 px on. F8 goes there, a swipe to the right closes.
import { useEffect, useRef, useSyncExternalStore } from 'react'
import { currentToasts, subscribeToToasts } from './toast-store'
import { ToastCard } from './toast-card'

const HOTKEY = 'F8'

export function ToastViewport() {
  const toasts = useSyncExternalStore(subscribeToToasts, currentToasts)
  const list = useRef<HTMLOListElement>(null)

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
      aria-label="Notifications (F8)"
      className="pointer-events-none fixed inset-x-0 top-0 z-50 p-3 pt-[calc(.75rem+var(--sai-top))] sm:inset-x-auto sm:top-auto sm:right-0 sm:bottom-0 sm:w-full sm:max-w-[420px] sm:pb-[calc(.75rem+var(--sai-bottom))]"
    >
      <ol ref={list} tabIndex={-1} className="grid gap-2 rounded-box">
        {toasts.filter(({ open }) => open).map((toast) => (
          <ToastCard key={toast.id} toast={toast} />
        ))}
      </ol>
    </section>
  )
}
