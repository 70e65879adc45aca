// Theme and panel settings on the device. theme-boot.js reads the same keys before the first paint.
import { useLayoutEffect, useSyncExternalStore } from 'react'
import { writeText } from './storage'

export type Theme = 'toolbox' | 'toolbox-day'
export type ThemeChoice = 'system' | Theme

const THEME_KEY = 'toolbox.theme'
const SOLID_KEY = 'toolbox.solid'
const DARK_QUERY = '(prefers-color-scheme: dark)'
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

function getThemeChoice(): ThemeChoice {
  const chosen = getRoot().dataset['chosenTheme']
  return chosen === 'toolbox' || chosen === 'toolbox-day' ? chosen : 'system'
}

export function useThemeChoice(): ThemeChoice {
  return useSyncExternalStore(subscribe, getThemeChoice)
}

export function useSolidPanels(): boolean {
  return useSyncExternalStore(subscribe, () => getRoot().dataset['solid'] !== undefined)
}

function getDeviceTheme(): Theme {
  return globalThis.matchMedia?.(DARK_QUERY).matches ? 'toolbox' : 'toolbox-day'
}

/** The choice, else the device's setting. Pages of a business always follow the device. */
function showCurrentTheme(): void {
  const choice = getRoot().dataset['look'] === 'business' ? 'system' : getThemeChoice()
  const theme = choice === 'system' ? getDeviceTheme() : choice
  getRoot().dataset['theme'] = theme
  document.querySelector('meta[name="theme-color"]')?.setAttribute('content', BAR_COLOURS[theme])
  notifyListeners()
}

export function chooseTheme(choice: ThemeChoice): void {
  if (choice === 'system') delete getRoot().dataset['chosenTheme']
  else getRoot().dataset['chosenTheme'] = choice
  showCurrentTheme()
  writeText(localStorage, THEME_KEY, choice)
}

/** Follows the device, for as long as the page is open. */
export function followDeviceTheme(): () => void {
  const dark = globalThis.matchMedia?.(DARK_QUERY)
  dark?.addEventListener('change', showCurrentTheme)
  return () => dark?.removeEventListener('change', showCurrentTheme)
}

/** For pages of a business: light unless the device asks for dark. The theme of the app stays as chosen. */
export function useDeviceTheme(isOn: boolean): void {
  useLayoutEffect(() => {
    if (!isOn) return
    getRoot().dataset['look'] = 'business'
    showCurrentTheme()
    return () => {
      delete getRoot().dataset['look']
      showCurrentTheme()
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
  writeText(localStorage, THEME_KEY, getThemeChoice())
  writeText(localStorage, SOLID_KEY, getRoot().dataset['solid'] === undefined ? 'off' : 'on')
}
