// Search text in the URL, restored by Back.
import { useState } from 'react'
import { useSearchParams } from 'react-router-dom'

export function useSearchText() {
  const [params, setParams] = useSearchParams()
  const [text, setText] = useState(params.get('q') ?? '')
  /** `alone`: drops all other filters. */
  const change = (next: string, alone = false) => {
    setText(next)
    setParams(
      (before) => {
        if (alone) return {}
        if (next.trim() === '') before.delete('q')
        else before.set('q', next.trim())
        return before
      },
      { replace: true },
    )
  }
  return [text, change] as const
}
