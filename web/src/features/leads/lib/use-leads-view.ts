// List or board, from the URL or the last choice.
import { useState } from 'react'
import { useSearchParams } from 'react-router-dom'
import { readText, writeText } from '@/lib/storage'

export type LeadsViewName = 'list' | 'board'

const STORAGE_KEY = 'toolbox.leads.view'

const parseView = (text: string | null): LeadsViewName | undefined =>
  text === 'board' || text === 'list' ? text : undefined

export function useLeadsView() {
  const [params, setParams] = useSearchParams()
  const [storedView, setKept] = useState(() => parseView(readText(localStorage, STORAGE_KEY)))
  const view = parseView(params.get('view')) ?? storedView ?? 'list'
  const choose = (next: LeadsViewName) => {
    setKept(next)
    writeText(localStorage, STORAGE_KEY, next)
    setParams(
      (before) => {
        before.set('view', next)
        return before
      },
      { replace: true },
    )
  }
  return [view, choose] as const
}
