// The two looks and the solid panels, kept on this device. theme-boot.js reads the same keys before the first paint.
import { useSyncExternalStore } from 'react'
import { writeText } from './storage'

export type Theme = 'toolbox' | 'toolbox-day'

const THEME_KEY = 'toolbox.theme'
const SOLID_KEY = 'toolbox.solid'
/** The colour of the browser's own bar around each theme's page. */
const BAR_COLOURS = {
  toolbox: 'oklch(15% .021 264.3)',
  'toolbox-day': 'oklch(97% .007 258)',
} as const satisfies Record<Theme, string>

const listeners = new Set<() => void>()
const page = () => document.documentElement

function changed(): void {
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
  }
}

/** The theme in force. */
export function useTheme(): Theme {
  return useSyncExternalStore(subscribe, () => (page().dataset['theme'] === 'toolbox-day' ? 'toolbox-day' : 'toolbox'))
}

/** Whether panels are opaque. */
export function useSolidPanels(): boolean {
  return useSyncExternalStore(subscribe, () => page().dataset['solid'] !== undefined)
}

export function setTheme(theme: Theme): void {
  page().dataset['theme'] = theme
  document.querySelector('meta[name="theme-color"]')?.setAttribute('content', BAR_COLOURS[theme])
  writeText(localStorage, THEME_KEY, theme)
  changed()
}

export function setSolidPanels(isSolid: boolean): void {
  if (isSolid) page().dataset['solid'] = ''
  else delete page().dataset['solid']
  writeText(localStorage, SOLID_KEY, isSolid ? 'on' : 'off')
  changed()
}

/** Writes the look down again after signing out has emptied the device: it is the person's, not the org's. */
export function keepLook(): void {
  writeText(localStorage, THEME_KEY, page().dataset['theme'] ?? 'toolbox')
  writeText(localStorage, SOLID_KEY, page().dataset['solid'] === undefined ? 'off' : 'on')
}
