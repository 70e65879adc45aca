import { act, renderHook } from '@testing-library/react'
import { expect, it } from 'vitest'
import { persistThemeSettings, setSolidPanels, setTheme, useSolidPanels, useTheme } from './theme'

it('theme: applied at once and kept on the device', () => {
  const theme = renderHook(useTheme)
  expect(theme.result.current).toBe('toolbox')
  act(() => setTheme('toolbox-day'))
  expect(theme.result.current).toBe('toolbox-day')
  expect(document.documentElement.dataset['theme']).toBe('toolbox-day')
  expect(localStorage.getItem('toolbox.theme')).toBe('toolbox-day')
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
