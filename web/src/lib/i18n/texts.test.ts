// Texts and their placeholders, in English and in another language.
import { afterEach, expect, it, vi } from 'vitest'
import { activateTexts, currentLanguage, formatLocale, plural, t } from '.'
import { loadTexts } from './load-texts'
import { shownLanguage } from './shown-language'

afterEach(() => {
  activateTexts('en', {})
  document.documentElement.lang = 'en'
  vi.doUnmock('@/locales/es')
  vi.resetModules()
})

it('fills placeholders in, and shows the key where there is no text', () => {
  expect(t('Call {name}', { name: 'Ana' })).toBe('Call Ana')
  expect(t('{count} of {total} leads', { count: 2, total: 10 })).toBe('2 of 10 leads')
  expect(t('Use Ctrl K, or #tags')).toBe('Use Ctrl K, or #tags')
})

it('chooses between one and several', () => {
  expect(plural(1, '{count} lead', '{count} leads')).toBe('1 lead')
  expect(plural(0, '{count} lead', '{count} leads')).toBe('0 leads')
  expect(plural(2, '{count} lead of {name}', '{count} leads of {name}', { name: 'Ana' })).toBe('2 leads of Ana')
})

it('shows the texts of another language, and English where one is missing', () => {
  activateTexts('es', { 'Call {name}': 'Llamar a {name}', '{count} leads': '{count} solicitudes' })
  expect(t('Call {name}', { name: 'Ana' })).toBe('Llamar a Ana')
  expect(plural(3, '{count} lead', '{count} leads')).toBe('3 solicitudes')
  expect(plural(1, '{count} lead', '{count} leads')).toBe('1 lead')
  expect([currentLanguage(), formatLocale()]).toEqual(['es', 'es-US'])
})

it('are loaded for Spanish, and the page says so', async () => {
  vi.doMock('@/locales/es', () => ({ SPANISH: { Save: 'Guardar' } }))
  await loadTexts('es')
  expect(t('Save')).toBe('Guardar')
  expect([shownLanguage(), document.documentElement.lang]).toEqual(['es', 'es'])
})

it('stay English where they cannot be fetched', async () => {
  vi.doMock('@/locales/es', () => ({
    get SPANISH() {
      throw new TypeError('Failed to fetch dynamically imported module')
    },
  }))
  await loadTexts('es')
  expect([currentLanguage(), shownLanguage(), document.documentElement.lang]).toEqual(['en', 'en', 'en'])
})
