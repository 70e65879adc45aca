// What follows a change of the columns: where the focus goes, what is announced, and what can be undone.
import { useRef, useState } from 'react'

/** What has the focus after a change. */
export type FocusTarget =
  | { line: string; part: LinePart }
  | { column: string; part: 'price' | 'new-line' }
  | { at: number; part: 'name' | 'actions' }

/** The control by which a line was moved. */
export type LinePart = 'handle' | 'actions' | 'up' | 'down'

type Removal = { key: number; title: string; undo: () => void }

export type ColumnReport = ReturnType<typeof useColumnReport>

export function useColumnReport() {
  const [focus, setFocus] = useState<FocusTarget>()
  const [announcement, announce] = useState('')
  const [removal, setRemoval] = useState<Removal>()
  const removals = useRef(0)
  return {
    focus,
    setFocus,
    announcement,
    announce,
    removal,
    offerUndo: (title: string, undo: () => void) => {
      removals.current += 1
      setRemoval({ key: removals.current, title, undo })
      announce(title)
    },
    dismissRemoval: () => setRemoval(undefined),
    undoRemoval: () => {
      removal?.undo()
      setRemoval(undefined)
    },
  }
}
