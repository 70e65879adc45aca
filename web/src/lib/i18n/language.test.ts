// The language in which a page starts, and its change by a reload.
import { afterEach, describe, expect, it, vi } from 'vitest'
import { resetDemoMode } from '@/lib/demo'
import { activateTexts } from '.'
import { chosenLanguage, startLanguage, storeLanguage } from './language'
import { showStoredLanguage, switchLanguage } from './switch-language'

const setDevice = (language: string) => vi.spyOn(navigator, 'language', 'get').mockReturnValue(language)

afterEach(() => activateTexts('en', {}))

describe('chosen language', () => {
  it.each([
    ['en-US', 'en'],
    ['es-MX', 'es'],
    ['ES', 'es'],
    ['fr', 'en'],
  ])('follows a device in %s: %s', (device, language) => {
    setDevice(device)
    expect(chosenLanguage()).toBe(language)
  })

  it('is what was stored, whatever the device says', () => {
    setDevice('es-MX')
    storeLanguage('en')
    expect(chosenLanguage()).toBe('en')
  })

  it('ignores what is no language', () => {
    localStorage.setItem('toolbox.language', 'fr')
    expect(chosenLanguage()).toBe('en')
  })
})

describe('start', () => {
  it.each(['/', '/login', '/join/token', '/app', '/app/leads', '/leads'])('at %s is in the chosen language', (path) => {
    storeLanguage('es')
    expect(startLanguage(path)).toBe('es')
  })

  it.each(['/lead', '/lead/', '/quote', '/quote-request', '/checkout'])('at %s is in English for customers', (path) => {
    storeLanguage('es')
    expect(startLanguage(path)).toBe('en')
  })

  it('of the demonstration is in English', () => {
    storeLanguage('es')
    history.replaceState(null, '', '/demo')
    resetDemoMode()
    expect(startLanguage('/demo')).toBe('en')
  })
})

describe('change', () => {
  const reload = vi.fn<() => void>()
  afterEach(() => reload.mockReset())

  it('by the person is stored and loads the page again', () => {
    switchLanguage('es', reload)
    expect(chosenLanguage()).toBe('es')
    expect(reload).toHaveBeenCalledOnce()
  })

  it('to the language that is shown loads nothing', () => {
    switchLanguage('en', reload)
    expect(chosenLanguage()).toBe('en')
    expect(reload).not.toHaveBeenCalled()
  })

  it('by the account loads once, also where the texts cannot be had', () => {
    storeLanguage('es')
    showStoredLanguage('/app', reload)
    showStoredLanguage('/app', reload)
    expect(reload).toHaveBeenCalledOnce()
    activateTexts('es', {})
    showStoredLanguage('/app', reload)
    expect(reload).toHaveBeenCalledOnce()
    activateTexts('en', {})
    showStoredLanguage('/app', reload)
    expect(reload).toHaveBeenCalledTimes(2)
  })

  it('by the account leaves a customer’s page as it is', () => {
    storeLanguage('es')
    showStoredLanguage('/lead', reload)
    expect(reload).not.toHaveBeenCalled()
  })
})
