// What is typed at a question and not yet saved. It survives a reload of the tab.
import { useState } from 'react'
import { readJson, removeItem, writeJson } from '@/lib/storage'
import { useCurrentUser } from '@/features/session/use-session'
import type { StartStep } from './start-steps'

type Fields = Readonly<Record<string, string>>

/** The saved values, with those typed since where they are text. */
function mergeDraft<T extends Fields>(saved: T, typed: unknown): T {
  if (typeof typed !== 'object' || typed === null) return saved
  const known = Object.entries(typed).filter(([name, value]) => name in saved && typeof value === 'string')
  return { ...saved, ...Object.fromEntries(known) }
}

export function useStepDraft<T extends Fields>(step: StartStep, saved: T) {
  const { orgId } = useCurrentUser()
  const key = `toolbox.start.${orgId}.${step}`
  const [values, setValues] = useState(() => mergeDraft(saved, readJson(sessionStorage, key)))
  const change = (part: Partial<T>) => {
    const next = { ...values, ...part }
    setValues(next)
    writeJson(sessionStorage, key, next)
  }
  return { values, change, forget: () => removeItem(sessionStorage, key) }
}
