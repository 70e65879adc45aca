// List or board: the address says it, else what was last chosen on this device.
import { useState } from 'react'
import { useSearchParams } from 'react-router-dom'
import { readText, writeText } from '@/lib/storage'

export type LeadsViewName = 'list' | 'board'

const KEY = 'toolbox.leads.view'

const read = (text: string | null): LeadsViewName | undefined =>
  text === 'board' || text === 'list' ? text : undefined

export function useView() {
  const [params, setParams] = useSearchParams()
  const [kept, setKept] = useState(() => read(readText(localStorage, KEY)))
  const view = read(params.get('view')) ?? kept ?? 'list'
  const choose = (next: LeadsViewName) => {
    setKept(next)
    writeText(localStorage, KEY, next)
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
