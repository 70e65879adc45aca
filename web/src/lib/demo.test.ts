import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { toBrowserUrl, isDemoMode, isDemoPath, resetDemoMode } from './demo'
import { readJson, readText, removeItem, writeJson, writeText } from './storage'

function loadAt(path: string) {
  history.replaceState(null, '', path)
  resetDemoMode()
}

it.each([
  ['/demo', true],
  ['/demo/', true],
  ['/demo/app/leads', true],
  ['/demonstration', false],
  ['/app/demo', false],
  ['/', false],
])('%s is a demonstration path: %s', (path, isInside) => expect(isDemoPath(path)).toBe(isInside))

it('mode: fixed at page load', () => {
  loadAt('/app/leads')
  history.replaceState(null, '', '/demo')
  expect(isDemoMode()).toBe(false)
})

it('toBrowserUrl: adds the demo parameter in the demonstration only', () => {
  expect(toBrowserUrl('/api/files/1')).toBe('/api/files/1')
  loadAt('/demo')
  expect(toBrowserUrl('/api/files/1')).toBe('/api/files/1?demo=1')
  expect(toBrowserUrl('/api/files/1?download=1')).toBe('/api/files/1?download=1&demo=1')
})

describe('storage in the demonstration', () => {
  beforeEach(() => {
    localStorage.setItem('toolbox.offline-owner', 'o1:u1')
    sessionStorage.setItem('toolbox.submission.new-job', '{"key":"k"}')
    loadAt('/demo')
  })
  afterEach(() => loadAt('/'))

  it('reads nothing of the own business', () => {
    expect(readText(localStorage, 'toolbox.offline-owner')).toBeNull()
    expect(readJson(sessionStorage, 'toolbox.submission.new-job')).toBeUndefined()
  })

  it('overwrites and removes nothing of it', () => {
    expect(writeText(localStorage, 'toolbox.offline-owner', 'demo:viewer')).toBe(false)
    expect(writeJson(sessionStorage, 'toolbox.submission.new-job', {})).toBe(false)
    removeItem(localStorage, 'toolbox.offline-owner')
    expect(localStorage.getItem('toolbox.offline-owner')).toBe('o1:u1')
    expect(sessionStorage.getItem('toolbox.submission.new-job')).toBe('{"key":"k"}')
  })

  it('keeps theme settings', () => {
    expect(writeText(localStorage, 'toolbox.theme', 'toolbox-day')).toBe(true)
    expect(readText(localStorage, 'toolbox.theme')).toBe('toolbox-day')
  })
})
