// Which page is the demonstration, and what of this device it leaves alone.
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { browserAddress, inDemo, isDemoPath, settleDemo } from './demo'
import { readJson, readText, remove, writeJson, writeText } from './storage'

/** As a page that is loaded at this address. */
function loadAt(path: string) {
  history.replaceState(null, '', path)
  settleDemo()
}

it.each([
  ['/demo', true],
  ['/demo/', true],
  ['/demo/app/leads', true],
  ['/demonstration', false],
  ['/app/demo', false],
  ['/', false],
])('%s leads into the demonstration: %s', (path, isInside) => expect(isDemoPath(path)).toBe(isInside))

it('a page stays what it was loaded as, wherever its router goes', () => {
  loadAt('/app/leads')
  history.replaceState(null, '', '/demo')
  expect(inDemo()).toBe(false)
})

it('what the browser fetches by itself says that it is for the demonstration, and there only', () => {
  expect(browserAddress('/api/files/1')).toBe('/api/files/1')
  loadAt('/demo')
  expect(browserAddress('/api/files/1')).toBe('/api/files/1?demo=1')
  expect(browserAddress('/api/files/1?download=1')).toBe('/api/files/1?download=1&demo=1')
})

describe('on this device the demonstration', () => {
  beforeEach(() => {
    localStorage.setItem('toolbox.offline-owner', 'o1:u1')
    sessionStorage.setItem('toolbox.submission.new-job', '{"key":"k"}')
    loadAt('/demo')
  })
  afterEach(() => loadAt('/'))

  it('finds nothing of the own business', () => {
    expect(readText(localStorage, 'toolbox.offline-owner')).toBeNull()
    expect(readJson(sessionStorage, 'toolbox.submission.new-job')).toBeUndefined()
  })

  it('overwrites and removes nothing of it', () => {
    expect(writeText(localStorage, 'toolbox.offline-owner', 'demo:viewer')).toBe(false)
    expect(writeJson(sessionStorage, 'toolbox.submission.new-job', {})).toBe(false)
    remove(localStorage, 'toolbox.offline-owner')
    expect(localStorage.getItem('toolbox.offline-owner')).toBe('o1:u1')
    expect(sessionStorage.getItem('toolbox.submission.new-job')).toBe('{"key":"k"}')
  })

  it('keeps how the page looks, which is the person’s', () => {
    expect(writeText(localStorage, 'toolbox.theme', 'toolbox-day')).toBe(true)
    expect(readText(localStorage, 'toolbox.theme')).toBe('toolbox-day')
  })
})
