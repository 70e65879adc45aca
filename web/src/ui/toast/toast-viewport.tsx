// Where toasts appear: on phones above the bars at the bottom, or over an open dialog at the top; bottom right from 640 px
// on. F8 goes there, a swipe to the right closes.
import { useEffect, useRef, useSyncExternalStore } from 'react'
import { currentToasts, subscribeToToasts } from './toast-store'
import { ToastCard } from './toast-card'

const HOTKEY = 'F8'
/** Bars this close to each other are one. */
const GAP_PX = 16

/** How far the bars at the bottom of the screen reach up: what can be tapped there is not covered. */
function barsHeight(): number {
  const bars = [...document.querySelectorAll('[data-bottom-bar]')].map((bar) => bar.getBoundingClientRect()).filter(({ height }) => height > 0)
  const top = bars.toSorted((a, b) => b.bottom - a.bottom).reduce((reached, bar) => (bar.bottom >= reached - GAP_PX ? Math.min(reached, bar.top) : reached), innerHeight)
  return innerHeight - top
}

/** What is said while one screen gives way to the next meets bars that were not there yet. */
function stayAboveBars(element: HTMLElement): () => void {
  const measure = () => element.style.setProperty('--toast-bottom', `${barsHeight()}px`)
  measure()
  let frame = 0
  const watch = new MutationObserver(() => {
    cancelAnimationFrame(frame)
    frame = requestAnimationFrame(measure)
  })
  watch.observe(document.body, { childList: true, subtree: true })
  return () => {
    watch.disconnect()
    cancelAnimationFrame(frame)
  }
}

export function ToastViewport() {
  const toasts = useSyncExternalStore(subscribeToToasts, currentToasts)
  const list = useRef<HTMLOListElement>(null)
  const viewport = useRef<HTMLElement>(null)
  const newest = toasts.find(({ open }) => open)?.id

  // A dialog lies in the browser's top layer, above everything else: each toast goes there anew, above the dialog.
  // Browsers that lack it show the toast beneath.
  useEffect(() => {
    const element = viewport.current
    if (newest === undefined || !element) return
    const stop = stayAboveBars(element)
    if (typeof element.showPopover !== 'function') return stop
    element.popover = 'manual'
    element.showPopover()
    return () => {
      stop()
      element.hidePopover()
    }
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
      className="pointer-events-none fixed inset-x-0 top-auto bottom-[max(var(--toast-bottom,0px),var(--sai-bottom))] z-50 m-0 block w-auto overflow-visible border-0 bg-transparent p-3 text-base-content max-sm:[html:has(dialog[open])_&]:top-(--sai-top) max-sm:[html:has(dialog[open])_&]:bottom-auto sm:inset-x-auto sm:right-0 sm:bottom-0 sm:w-full sm:max-w-[420px] sm:pb-[calc(.75rem+var(--sai-bottom))]"
    >
      <ol ref={list} tabIndex={-1} className="grid gap-2 rounded-box">
        {toasts.filter(({ open }) => open).map((toast) => (
          <ToastCard key={toast.id} toast={toast} />
        ))}
      </ol>
    </section>
  )
}
