// Moves a line up or down. The button that moved it keeps the focus, so that one goes on pressing; a reader of the screen is told.
import { useEffect, useRef, useState } from 'react'

export function useMovedLine(change: (from: number, to: number) => void) {
  const list = useRef<HTMLOListElement>(null)
  const [moved, setMoved] = useState<{ to: number; way: 'up' | 'down' }>()
  useEffect(() => {
    if (!moved) return
    const line = list.current?.children[moved.to]
    const buttons = [...(line?.querySelectorAll<HTMLButtonElement>('[data-move]') ?? [])].filter(
      ({ disabled }) => !disabled,
    )
    // At the end of its way the line can only go back.
    const button = buttons.find(({ dataset }) => dataset['move'] === moved.way) ?? buttons[0]
    button?.focus()
    line?.scrollIntoView?.({ block: 'nearest' })
  }, [moved])
  const move = (from: number, to: number) => {
    change(from, to)
    setMoved({ to, way: to < from ? 'up' : 'down' })
  }
  return { list, move, said: moved ? `It is line ${moved.to + 1} now` : '' }
}
