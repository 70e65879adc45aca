// Keys of the list. They act only while the focus is in it (WCAG 2.1.4), and never on what is typed.
import type { KeyboardEvent, RefObject } from 'react'

export type WorkKeyAction = 'done' | 'snooze' | 'assign'

const STEPS: Readonly<Record<string, 1 | -1>> = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 }
const ITEM_KEYS: Readonly<Record<string, WorkKeyAction>> = { e: 'done', s: 'snooze', a: 'assign' }

/** What Enter runs: one in each row. */
const ACTION = '[data-work]'

const actionsIn = (box: HTMLElement | null) => [...(box?.querySelectorAll<HTMLElement>(ACTION) ?? [])]
const rowOf = (element: Element | null) => element?.closest('li') ?? null

/** Moves the focus to the row after this one, else before it, else to the tab: its own row is about to go. */
export function focusNeighbor(box: HTMLElement | null, key: string): void {
  const actions = actionsIn(box)
  const at = actions.findIndex((action) => action.dataset['work'] === key)
  if (at < 0 || !rowOf(actions[at] ?? null)?.contains(document.activeElement)) return
  const tab = box?.closest('section')?.querySelector<HTMLElement>('[role="tab"][aria-selected="true"]')
  const next = actions[at + 1] ?? actions[at - 1] ?? tab
  next?.focus({ preventScroll: true })
}

function isTyping({ target }: KeyboardEvent): boolean {
  return target instanceof Element && target.closest('input, textarea, select, dialog, [role="tablist"]') !== null
}

/** `act` gets the key of the item whose row has the focus. */
export function useWorkKeys(
  box: RefObject<HTMLElement | null>,
  act: (name: WorkKeyAction, key: string) => void,
  undo: () => void,
) {
  const move = (step: 1 | -1) => {
    const actions = actionsIn(box.current)
    const at = actions.findIndex((action) => rowOf(action)?.contains(document.activeElement))
    const next = actions[at < 0 ? 0 : at + step]
    next?.focus()
    rowOf(next ?? null)?.scrollIntoView({ block: 'nearest' })
  }
  return (event: KeyboardEvent) => {
    if (isTyping(event) || event.altKey || event.shiftKey) return
    const isCommand = event.ctrlKey || event.metaKey
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key
    const run = (action: () => void) => {
      event.preventDefault()
      action()
    }
    if (key === 'z') return run(undo)
    if (isCommand) return
    const step = STEPS[key]
    if (step) return run(() => move(step))
    const name = ITEM_KEYS[key]
    const current = rowOf(document.activeElement)?.querySelector<HTMLElement>(ACTION)?.dataset['work']
    if (name && current !== undefined) run(() => act(name, current))
  }
}
