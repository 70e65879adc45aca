// Theme and panel settings on the device. theme-boot.js reads the same keys before the first paint.
import { useLayoutEffect, useSyncExternalStore } from 'react'
import { readText, writeText } from './storage'

export type Theme = 'toolbox' | 'toolbox-day'

const THEME_KEY = 'toolbox.theme'
const SOLID_KEY = 'toolbox.solid'
/** `theme-color` per theme. */
const BAR_COLOURS = {
  toolbox: 'oklch(15% .021 264.3)',
  'toolbox-day': 'oklch(97% .007 258)',
} as const satisfies Record<Theme, string>

const listeners = new Set<() => void>()
const getRoot = () => document.documentElement

function notifyListeners(): void {
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
  }
}

export function useTheme(): Theme {
  return useSyncExternalStore(subscribe, () =>
    getRoot().dataset['theme'] === 'toolbox-day' ? 'toolbox-day' : 'toolbox',
  )
}

export function useSolidPanels(): boolean {
  return useSyncExternalStore(subscribe, () => getRoot().dataset['solid'] !== undefined)
}

function showTheme(theme: Theme): void {
  getRoot().dataset['theme'] = theme
  document.querySelector('meta[name="theme-color"]')?.setAttribute('content', BAR_COLOURS[theme])
  notifyListeners()
}

export function setTheme(theme: Theme): void {
  showTheme(theme)
  writeText(localStorage, THEME_KEY, theme)
}

/** For pages of a business: light unless the device asks for dark. The theme of the app stays as chosen. */
export function useDeviceTheme(isOn: boolean): void {
  useLayoutEffect(() => {
    if (!isOn) return
    const dark = globalThis.matchMedia?.('(prefers-color-scheme: dark)')
    const follow = () => showTheme(dark?.matches ? 'toolbox' : 'toolbox-day')
    follow()
    getRoot().dataset['look'] = 'business'
    dark?.addEventListener('change', follow)
    return () => {
      dark?.removeEventListener('change', follow)
      delete getRoot().dataset['look']
      showTheme(readText(localStorage, THEME_KEY) === 'toolbox-day' ? 'toolbox-day' : 'toolbox')
    }
  }, [isOn])
}

export function setSolidPanels(isSolid: boolean): void {
  if (isSolid) getRoot().dataset['solid'] = ''
  else delete getRoot().dataset['solid']
  writeText(localStorage, SOLID_KEY, isSolid ? 'on' : 'off')
  notifyListeners()
}

/** Restores the settings after logout wiped the device. */
export function persistThemeSettings(): void {
  writeText(localStorage, THEME_KEY, getRoot().dataset['theme'] ?? 'toolbox')
  writeText(localStorage, SOLID_KEY, getRoot().dataset['solid'] === undefined ? 'off' : 'on')
}
