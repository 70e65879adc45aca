// Whether shortcuts of one key are on, on this device (WCAG 2.1.4).
import { useSyncExternalStore } from 'react'
import { readText, writeText } from '../storage'

const SETTING_KEY = 'toolbox.shortcuts'
const listeners = new Set<() => void>()
let isOn: boolean | undefined

export function areShortcutsOn(): boolean {
  isOn ??= readText(localStorage, SETTING_KEY) !== 'off'
  return isOn
}

export function setShortcutsOn(isWanted: boolean): void {
  isOn = isWanted
  writeText(localStorage, SETTING_KEY, isWanted ? 'on' : 'off')
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
  }
}

export const useShortcutsOn = (): boolean => useSyncExternalStore(subscribe, areShortcutsOn)
