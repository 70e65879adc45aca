// The one toast: shown 5 s unless told, one at a time. Callable from anywhere: `toast.success(title, description)`.

/** `info` for what neither succeeded nor failed. */
export type ToastVariant = 'default' | 'destructive' | 'info'
export type ToastAction = { label: string; onAction: () => void }
export type ToastOptions = {
  description?: string
  variant?: ToastVariant
  action?: ToastAction
  /** Longer than usual, for what can be taken back meanwhile. */
  durationMs?: number
}
export type Toast = { id: number; title: string; open: boolean } & ToastOptions

/** One at a time: a new toast takes the place of the old. */
export const TOAST_LIMIT = 1
/** How long a toast stands, unless someone is reading or pointing at it. */
export const TOAST_DURATION_MS = 5000
/** A closed toast stays in the list this long, so that it can still leave gracefully and be asked about. */
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

/** Closes a toast now. */
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

/** Stops the clock while someone reads the toast. */
export function pauseExpiry(): void {
  clearTimeout(expiry.timer)
  expiry.remaining = Math.max(0, expiry.remaining - (Date.now() - expiry.startedAt))
}

/** Lets the clock run on from where it stood. */
export function resumeExpiry(): void {
  const shown = toasts.find((candidate) => candidate.open)
  if (shown) startExpiry(shown.id)
}

/** For useSyncExternalStore. */
export function subscribeToToasts(listener: Listener): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** The list as it stands; the same array until something changes. */
export function currentToasts(): readonly Toast[] {
  return toasts
}

/** Forgets everything at once, between two tests. */
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
