import { act, renderHook } from '@testing-library/react'
import { beforeEach, expect, it, vi } from 'vitest'
import {
  chooseTheme,
  followDeviceTheme,
  persistThemeSettings,
  setSolidPanels,
  useDeviceTheme,
  useSolidPanels,
  useTheme,
  useThemeChoice,
} from './theme'

const device = { isDark: false, listeners: new Set<() => void>() }
const { dataset } = document.documentElement

function setDevice(isDark: boolean): void {
  device.isDark = isDark
  act(() => {
    for (const listener of device.listeners) listener()
  })
}

beforeEach(() => {
  device.isDark = false
  device.listeners.clear()
  vi.stubGlobal('matchMedia', () => ({
    get matches() {
      return device.isDark
    },
    addEventListener: (_: string, listener: () => void) => device.listeners.add(listener),
    removeEventListener: (_: string, listener: () => void) => device.listeners.delete(listener),
  }))
})

it('theme: applied at once and kept on the device', () => {
  const theme = renderHook(useTheme)
  const choice = renderHook(useThemeChoice)
  expect([theme.result.current, choice.result.current]).toEqual(['toolbox', 'system'])
  act(() => chooseTheme('toolbox-day'))
  expect([theme.result.current, choice.result.current]).toEqual(['toolbox-day', 'toolbox-day'])
  expect(dataset['theme']).toBe('toolbox-day')
  expect(localStorage.getItem('toolbox.theme')).toBe('toolbox-day')
})

it('system: follows the device until something else is chosen', () => {
  const stop = followDeviceTheme()
  const theme = renderHook(useTheme)
  act(() => chooseTheme('system'))
  expect(theme.result.current).toBe('toolbox-day')
  setDevice(true)
  expect(theme.result.current).toBe('toolbox')
  act(() => chooseTheme('toolbox-day'))
  setDevice(true)
  expect(theme.result.current).toBe('toolbox-day')
  act(() => chooseTheme('system'))
  expect(theme.result.current).toBe('toolbox')
  expect(localStorage.getItem('toolbox.theme')).toBe('system')
  stop()
  expect(device.listeners.size).toBe(0)
})

it('color of the browser bar: changes with the theme', () => {
  const meta = document.head.appendChild(Object.assign(document.createElement('meta'), { name: 'theme-color' }))
  chooseTheme('toolbox')
  const dark = meta.content
  chooseTheme('toolbox-day')
  expect(dark).not.toBe('')
  expect(meta.content).not.toBe(dark)
  meta.remove()
})

it('theme of the device: light by default, followed while a page of a business is open', () => {
  const stop = followDeviceTheme()
  chooseTheme('toolbox')
  const page = renderHook(() => useDeviceTheme(true))
  expect([dataset['theme'], dataset['look']]).toEqual(['toolbox-day', 'business'])
  setDevice(true)
  expect(dataset['theme']).toBe('toolbox')
  setDevice(false)
  expect(dataset['theme']).toBe('toolbox-day')
  page.unmount()
  expect([dataset['theme'], dataset['look']]).toEqual(['toolbox', undefined])
  stop()
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
  chooseTheme('toolbox-day')
  setSolidPanels(true)
  localStorage.clear()
  persistThemeSettings()
  expect(localStorage.getItem('toolbox.theme')).toBe('toolbox-day')
  expect(localStorage.getItem('toolbox.solid')).toBe('on')
})

it('theme settings: nothing chosen stays nothing chosen', () => {
  localStorage.clear()
  persistThemeSettings()
  expect(localStorage.getItem('toolbox.theme')).toBe('system')
})
