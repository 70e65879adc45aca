// Toast store: one toast, 5 s by default. `toast.success(title, description)`.

/** `info`: neither success nor failure. */
export type ToastVariant = 'default' | 'destructive' | 'info'
export type ToastAction = { label: string; onAction: () => void }
export type ToastOptions = {
  description?: string
  variant?: ToastVariant
  action?: ToastAction
  /** Longer for undoable actions. */
  durationMs?: number
}
export type Toast = { id: number; title: string; open: boolean } & ToastOptions

export const TOAST_LIMIT = 1
/** Paused on hover and focus. */
export const TOAST_DURATION_MS = 5000
/** Closed toasts stay for the exit animation. */
export const TOAST_REMOVE_DELAY_MS = 1_000_000

type Listener = () => void

let toasts: readonly Toast[] = []
let nextId = 1
const listeners = new Set<Listener>()
const removals = new Map<number, ReturnType<typeof setTimeout>>()
const expiry: { timer: ReturnType<typeof setTimeout> | undefined; startedAt: number; remaining: number } = {
  timer: undefined,
  startedAt: 0,
  remaining: TOAST_DURATION_MS,
}

function publish(next: readonly Toast[]): void {
  toasts = next
  for (const listener of listeners) listener()
}

function startExpiry(id: number): void {
  clearTimeout(expiry.timer)
  expiry.startedAt = Date.now()
  expiry.timer = setTimeout(() => dismiss(id), expiry.remaining)
}

function show(title: string, options: ToastOptions = {}): number {
  const id = nextId
  nextId += 1
  publish([{ id, title, open: true, ...options }, ...toasts].slice(0, TOAST_LIMIT))
  expiry.remaining = options.durationMs ?? TOAST_DURATION_MS
  startExpiry(id)
  return id
}

export function dismiss(id: number): void {
  const known = toasts.find((candidate) => candidate.id === id)
  if (!known?.open) return
  clearTimeout(expiry.timer)
  publish(toasts.map((candidate) => (candidate.id === id ? { ...candidate, open: false } : candidate)))
  removals.set(
    id,
    setTimeout(() => {
      removals.delete(id)
      publish(toasts.filter((candidate) => candidate.id !== id))
    }, TOAST_REMOVE_DELAY_MS),
  )
}

export function pauseExpiry(): void {
  clearTimeout(expiry.timer)
  expiry.remaining = Math.max(0, expiry.remaining - (Date.now() - expiry.startedAt))
}

export function resumeExpiry(): void {
  const shown = toasts.find((candidate) => candidate.open)
  if (shown) startExpiry(shown.id)
}

/** For useSyncExternalStore. */
export function subscribeToToasts(listener: Listener): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Same array until a change. */
export function currentToasts(): readonly Toast[] {
  return toasts
}

/** For tests. */
export function resetToasts(): void {
  clearTimeout(expiry.timer)
  for (const timer of removals.values()) clearTimeout(timer)
  removals.clear()
  publish([])
}

export const toast = {
  show,
  success: (title: string, description?: string) => show(title, description ? { description } : {}),
  error: (title: string, description?: string) =>
    show(title, { variant: 'destructive', ...(description ? { description } : {}) }),
}
