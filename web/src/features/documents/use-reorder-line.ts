// Line reordering that keeps focus and announces the position.
import { useEffect, useRef, useState } from 'react'
import { t } from '@/lib/i18n'

export function useReorderLine(change: (from: number, to: number) => void) {
  const list = useRef<HTMLOListElement>(null)
  const [moved, setMoved] = useState<{ to: number; direction: 'up' | 'down' }>()
  useEffect(() => {
    if (!moved) return
    const line = list.current?.children[moved.to]
    const buttons = [...(line?.querySelectorAll<HTMLButtonElement>('[data-move]') ?? [])].filter(
      ({ disabled }) => !disabled,
    )
    // At the end of its way the line can only go back.
    const button = buttons.find(({ dataset }) => dataset['move'] === moved.direction) ?? buttons[0]
    button?.focus()
    line?.scrollIntoView?.({ block: 'nearest' })
  }, [moved])
  const move = (from: number, to: number) => {
    change(from, to)
    setMoved({ to, direction: to < from ? 'up' : 'down' })
  }
  return { list, move, announcement: moved ? t('It is line {number} now', { number: moved.to + 1 }) : '' }
}
