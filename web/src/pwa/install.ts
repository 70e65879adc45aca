// What is needed to offer the app for the home screen: the browser's own offer, kept until it is welcome.
import { useSyncExternalStore } from 'react'
import { readText, writeText } from '@/lib/storage'

/** Chrome's event; no type library knows it. */
type InstallPromptEvent = Event & { prompt: () => Promise<unknown>; userChoice: Promise<{ outcome: string }> }

export type InstallWay = 'prompt' | 'ios'

const VISITS_KEY = 'toolbox.visits'
const THIS_VISIT_KEY = 'toolbox.visit-counted'
const DISMISSED_KEY = 'toolbox.install-dismissed'

let kept: InstallPromptEvent | undefined
const listeners = new Set<() => void>()

function changed(): void {
  for (const listener of listeners) listener()
}

function keep(event: Event): void {
  // The browser's own bar would come at the first visit; ours comes once the app has been of use.
  event.preventDefault()
  kept = event as InstallPromptEvent
  changed()
}

function forget(): void {
  kept = undefined
  changed()
}

/** Listens for the browser's offer and counts this visit. Called at the app's start. */
export function watchInstall(): void {
  globalThis.addEventListener('beforeinstallprompt', keep)
  globalThis.addEventListener('appinstalled', forget)
  if (readText(sessionStorage, THIS_VISIT_KEY) !== null) return
  writeText(sessionStorage, THIS_VISIT_KEY, '1')
  writeText(localStorage, VISITS_KEY, String(Number(readText(localStorage, VISITS_KEY) ?? 0) + 1))
}

function isInstalled(): boolean {
  const standalone = 'standalone' in navigator && navigator.standalone === true
  return standalone || (globalThis.matchMedia?.('(display-mode: standalone)').matches ?? false)
}

/** An iPad says it is a Mac; only its fingers give it away. */
function isIos(): boolean {
  return (
    /iPhone|iPad|iPod/.test(navigator.userAgent) ||
    (navigator.userAgent.includes('Macintosh') && navigator.maxTouchPoints > 1)
  )
}

function currentWay(): InstallWay | null {
  const isFirstVisit = Number(readText(localStorage, VISITS_KEY) ?? 0) < 2
  if (isFirstVisit || isInstalled() || readText(localStorage, DISMISSED_KEY) !== null) return null
  if (kept) return 'prompt'
  return isIos() ? 'ios' : null
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
  }
}

/** How this device can install the app now; null when it cannot, has done so, or was told not to ask. */
export function useInstallWay(): InstallWay | null {
  return useSyncExternalStore(subscribe, currentWay)
}

/** Shows the browser's own question. It may be asked once per offer. */
export async function install(): Promise<void> {
  const event = kept
  if (!event) return
  forget()
  await event.prompt()
}

/** Not now, and not again on this device. */
export function dismissInstall(): void {
  writeText(localStorage, DISMISSED_KEY, '1')
  changed()
}
