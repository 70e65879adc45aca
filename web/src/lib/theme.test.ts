import { act, renderHook } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import { persistThemeSettings, setSolidPanels, setTheme, useDeviceTheme, useSolidPanels, useTheme } from './theme'

it('theme: applied at once and kept on the device', () => {
  const theme = renderHook(useTheme)
  expect(theme.result.current).toBe('toolbox')
  act(() => setTheme('toolbox-day'))
  expect(theme.result.current).toBe('toolbox-day')
  expect(document.documentElement.dataset['theme']).toBe('toolbox-day')
  expect(localStorage.getItem('toolbox.theme')).toBe('toolbox-day')
})

it('theme of the device: light by default, followed while a page of a business is open', () => {
  setTheme('toolbox')
  const device = { matches: false, listeners: new Set<() => void>() }
  vi.stubGlobal('matchMedia', () => ({
    get matches() {
      return device.matches
    },
    addEventListener: (_: string, listener: () => void) => device.listeners.add(listener),
    removeEventListener: (_: string, listener: () => void) => device.listeners.delete(listener),
  }))
  const { dataset } = document.documentElement
  const page = renderHook(() => useDeviceTheme(true))
  expect([dataset['theme'], dataset['look']]).toEqual(['toolbox-day', 'business'])
  device.matches = true
  act(() => {
    for (const listener of device.listeners) listener()
  })
  expect(dataset['theme']).toBe('toolbox')
  device.matches = false
  setTheme('toolbox-day')
  page.unmount()
  expect(device.listeners.size).toBe(0)
  expect([dataset['theme'], dataset['look']]).toEqual(['toolbox-day', undefined])
})

it('panels: solid and glass', () => {
  const solid = renderHook(useSolidPanels)
  act(() => setSolidPanels(true))
  expect(solid.result.current).toBe(true)
  expect(localStorage.getItem('toolbox.solid')).toBe('on')
  act(() => setSolidPanels(false))
  expect(solid.result.current).toBe(false)
})

it('theme settings: rewritten after the device is wiped', () => {
  setTheme('toolbox-day')
  setSolidPanels(true)
  localStorage.clear()
  persistThemeSettings()
  expect(localStorage.getItem('toolbox.theme')).toBe('toolbox-day')
  expect(localStorage.getItem('toolbox.solid')).toBe('on')
})
