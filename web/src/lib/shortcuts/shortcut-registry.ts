// Registry of keyboard shortcuts without a modifier, and the one listener that runs them.
import { useEffect, useSyncExternalStore } from 'react'
import { areShortcutsOn } from './shortcut-setting'

export type Shortcut = {
  /** Keys in order, as `KeyboardEvent.key` names them, with blanks between them: `g l`. */
  keys: string
  label: string
  run: () => void
}

export type ShortcutGroup = { title: string; shortcuts: readonly Shortcut[] }

/** Longest pause between two keys of one shortcut. */
const MAX_PAUSE_MS = 1500
const TEXT_FIELDS =
  'textarea, select, [contenteditable]:not([contenteditable="false"]), [role="combobox"], [role="textbox"], ' +
  'input:not([type="checkbox"], [type="radio"], [type="button"], [type="submit"], [type="range"], [type="file"])'

const listeners = new Set<() => void>()
let groups: readonly ShortcutGroup[] = []
let typed: readonly string[] = []
let typedAt = 0

function replaceGroups(next: readonly ShortcutGroup[]): void {
  groups = next
  for (const listener of listeners) listener()
}

const isInTextField = (target: EventTarget | null) => target instanceof Element && target.closest(TEXT_FIELDS) !== null

/** A modal dialog has its own keys. */
const hasOpenDialog = () => document.querySelector('dialog[open]') !== null

function isEligible(event: KeyboardEvent): boolean {
  const hasModifier = event.ctrlKey || event.metaKey || event.altKey
  return !event.defaultPrevented && !hasModifier && !event.repeat && !event.isComposing && areShortcutsOn()
}

/** The newest group first: a screen may reuse a key. */
function findShortcut(keys: string): Shortcut | undefined {
  for (const { shortcuts } of groups.toReversed()) {
    const found = shortcuts.find((shortcut) => shortcut.keys === keys)
    if (found) return found
  }
  return undefined
}

const beginsShortcut = (keys: string) =>
  groups.some(({ shortcuts }) => shortcuts.some((shortcut) => shortcut.keys.startsWith(`${keys} `)))

function handleKey(event: KeyboardEvent): void {
  // The modifier comes before its key: it ends nothing.
  if (event.key === 'Shift') return
  const earlier = event.timeStamp - typedAt <= MAX_PAUSE_MS ? typed : []
  typed = []
  if (!isEligible(event) || isInTextField(event.target) || hasOpenDialog()) return
  for (const keys of [[...earlier, event.key], [event.key]]) {
    const text = keys.join(' ')
    const shortcut = findShortcut(text)
    if (shortcut) {
      event.preventDefault()
      shortcut.run()
      return
    }
    if (beginsShortcut(text)) {
      typed = keys
      typedAt = event.timeStamp
      return
    }
  }
}

/** Returns the function that removes the group. */
export function registerShortcuts(group: ShortcutGroup): () => void {
  if (groups.length === 0) document.addEventListener('keydown', handleKey)
  replaceGroups([...groups, group])
  return () => {
    replaceGroups(groups.filter((other) => other !== group))
    if (groups.length === 0) document.removeEventListener('keydown', handleKey)
  }
}

/** Shortcuts of a screen while it is shown. The list must be stable between renders. */
export function useShortcuts(title: string, shortcuts: readonly Shortcut[]): void {
  useEffect(() => registerShortcuts({ title, shortcuts }), [title, shortcuts])
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
  }
}

/** All registered groups, for the list of shortcuts. */
export const useShortcutGroups = (): readonly ShortcutGroup[] => useSyncExternalStore(subscribe, () => groups)
