// The look is one tap, and it outlives signing out.
import { act, renderHook } from '@testing-library/react'
import { expect, it } from 'vitest'
import { keepLook, setSolidPanels, setTheme, useSolidPanels, useTheme } from './theme'

it('changes at once and is kept on this device', () => {
  const theme = renderHook(useTheme)
  expect(theme.result.current).toBe('toolbox')
  act(() => setTheme('toolbox-day'))
  expect(theme.result.current).toBe('toolbox-day')
  expect(document.documentElement.dataset['theme']).toBe('toolbox-day')
  expect(localStorage.getItem('toolbox.theme')).toBe('toolbox-day')
})

it('has panels made solid and glass again', () => {
  const solid = renderHook(useSolidPanels)
  act(() => setSolidPanels(true))
  expect(solid.result.current).toBe(true)
  expect(localStorage.getItem('toolbox.solid')).toBe('on')
  act(() => setSolidPanels(false))
  expect(solid.result.current).toBe(false)
})

it('is written down again after the device was emptied', () => {
  setTheme('toolbox-day')
  setSolidPanels(true)
  localStorage.clear()
  keepLook()
  expect(localStorage.getItem('toolbox.theme')).toBe('toolbox-day')
  expect(localStorage.getItem('toolbox.solid')).toBe('on')
})
