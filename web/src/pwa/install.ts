// Install prompt, deferred.
import { useSyncExternalStore } from 'react'
import { readText, writeText } from '@/lib/storage'

/** Chrome only; missing in the DOM types. */
type InstallPromptEvent = Event & { prompt: () => Promise<unknown>; userChoice: Promise<{ outcome: string }> }

export type InstallMethod = 'prompt' | 'ios'

const VISITS_KEY = 'toolbox.visits'
const THIS_VISIT_KEY = 'toolbox.visit-counted'
const DISMISSED_KEY = 'toolbox.install-dismissed'

let savedPrompt: InstallPromptEvent | undefined
const listeners = new Set<() => void>()

function notifyListeners(): void {
  for (const listener of listeners) listener()
}

function savePrompt(event: Event): void {
  // Suppresses the browser's own prompt at the first visit.
  event.preventDefault()
  savedPrompt = event as InstallPromptEvent
  notifyListeners()
}

function clearPrompt(): void {
  savedPrompt = undefined
  notifyListeners()
}

/** Also counts the visit. */
export function startInstallWatch(): void {
  globalThis.addEventListener('beforeinstallprompt', savePrompt)
  globalThis.addEventListener('appinstalled', clearPrompt)
  if (readText(sessionStorage, THIS_VISIT_KEY) !== null) return
  writeText(sessionStorage, THIS_VISIT_KEY, '1')
  writeText(localStorage, VISITS_KEY, String(Number(readText(localStorage, VISITS_KEY) ?? 0) + 1))
}

function isInstalled(): boolean {
  const standalone = 'standalone' in navigator && navigator.standalone === true
  return standalone || (globalThis.matchMedia?.('(display-mode: standalone)').matches ?? false)
}

/** iPadOS reports a Mac; touch support tells it apart. */
function isIos(): boolean {
  return (
    /iPhone|iPad|iPod/.test(navigator.userAgent) ||
    (navigator.userAgent.includes('Macintosh') && navigator.maxTouchPoints > 1)
  )
}

function getInstallMethod(): InstallMethod | null {
  const isFirstVisit = Number(readText(localStorage, VISITS_KEY) ?? 0) < 2
  if (isFirstVisit || isInstalled() || readText(localStorage, DISMISSED_KEY) !== null) return null
  if (savedPrompt) return 'prompt'
  return isIos() ? 'ios' : null
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
  }
}

/** Null where impossible, installed or dismissed. */
export function useInstallMethod(): InstallMethod | null {
  return useSyncExternalStore(subscribe, getInstallMethod)
}

/** Works once per event. */
export async function promptInstall(): Promise<void> {
  const event = savedPrompt
  if (!event) return
  clearPrompt()
  await event.prompt()
}

export function dismissInstall(): void {
  writeText(localStorage, DISMISSED_KEY, '1')
  notifyListeners()
}
