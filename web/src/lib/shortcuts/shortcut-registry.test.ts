import { beforeEach, afterEach, describe, expect, it, vi } from 'vitest'
import { registerShortcuts } from './shortcut-registry'
import { setShortcutsOn } from './shortcut-setting'

let remove = () => {}
const mock = () => vi.fn<() => void>()
const run = { leads: mock(), search: mock(), help: mock(), newRecord: mock() }

const press = (key: string, options: KeyboardEventInit = {}, target: EventTarget = document.body) => {
  const event = new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...options })
  target.dispatchEvent(event)
  return event
}

beforeEach(() => {
  vi.clearAllMocks()
  setShortcutsOn(true)
  document.body.innerHTML = ''
  remove = registerShortcuts({
    title: 'Everywhere',
    shortcuts: [
      { keys: 'g l', label: 'Leads', run: run.leads },
      { keys: '/', label: 'Search', run: run.search },
      { keys: '?', label: 'Help', run: run.help },
      { keys: 'n', label: 'New', run: run.newRecord },
    ],
  })
})

afterEach(() => remove())

describe('shortcuts', () => {
  it('run after their keys in order, and with Shift where the key needs it', () => {
    press('l')
    expect(run.leads).not.toHaveBeenCalled()
    press('g')
    press('l')
    expect(run.leads).toHaveBeenCalledOnce()
    press('Shift', { shiftKey: true })
    expect(press('?', { shiftKey: true }).defaultPrevented).toBe(true)
    expect(run.help).toHaveBeenCalledOnce()
  })

  it('start again after another key', () => {
    press('g')
    press('n')
    expect(run.newRecord).toHaveBeenCalledOnce()
    press('l')
    expect(run.leads).not.toHaveBeenCalled()
  })

  it('run neither with a modifier, nor in a text field, nor in a dialog, nor while the key is held', () => {
    document.body.innerHTML =
      '<input id="text"><textarea id="area"></textarea><select id="select"></select>' +
      '<p id="editable" contenteditable="true"></p><input id="box" type="checkbox">'
    for (const modifier of ['ctrlKey', 'metaKey', 'altKey'] as const) press('n', { [modifier]: true })
    for (const id of ['text', 'area', 'select', 'editable'])
      press('n', {}, document.querySelector(`#${id}`) ?? undefined)
    press('n', { repeat: true })
    document.body.insertAdjacentHTML('beforeend', '<dialog open></dialog>')
    press('n')
    expect(run.newRecord).not.toHaveBeenCalled()
    document.querySelector('dialog')?.remove()
    press('n', {}, document.querySelector('#box') ?? undefined)
    expect(run.newRecord).toHaveBeenCalledOnce()
  })

  it('do nothing while they are switched off', () => {
    setShortcutsOn(false)
    press('n')
    expect(run.newRecord).not.toHaveBeenCalled()
    expect(localStorage.getItem('toolbox.shortcuts')).toBe('off')
  })

  it('of the screen shown last win, until it is gone', () => {
    const screen = mock()
    const removeScreen = registerShortcuts({
      title: 'List',
      shortcuts: [{ keys: 'n', label: 'Next', run: screen }],
    })
    press('n')
    expect([screen.mock.calls.length, run.newRecord.mock.calls.length]).toEqual([1, 0])
    removeScreen()
    press('n')
    expect(run.newRecord).toHaveBeenCalledOnce()
  })
})
