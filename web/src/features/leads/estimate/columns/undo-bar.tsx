// Undo of a removal inside of the dialog: a toast lies outside of it, where nothing can be pressed meanwhile.
import { useEffect, useState } from 'react'
import { Button, IconButton } from '@/ui/button'
import { Icon } from '@/ui/icon'
import { columnTexts as texts } from './messages'

export const UNDO_MS = 10_000

type UndoBarProps = { title: string; onUndo: () => void; onClose: () => void }

export function UndoBar({ title, onUndo, onClose }: UndoBarProps) {
  const [isHeld, setIsHeld] = useState(false)
  useEffect(() => {
    if (isHeld) return
    const timer = setTimeout(onClose, UNDO_MS)
    return () => clearTimeout(timer)
    // oxlint-disable-next-line react/exhaustive-deps -- a render does not begin the time anew
  }, [isHeld])
  return (
    <div
      className="glass-sheet sticky bottom-0 z-20 flex items-center gap-3 rounded-box p-2 pl-4 shadow-xl"
      onPointerEnter={() => setIsHeld(true)}
      onPointerLeave={() => setIsHeld(false)}
      onFocus={() => setIsHeld(true)}
      onBlur={() => setIsHeld(false)}
    >
      <Icon name="trash" className="text-muted" />
      <p className="min-w-0 flex-1 truncate">{title}</p>
      <Button variant="secondary" icon="undo" onClick={onUndo}>
        {texts.undo}
      </Button>
      <IconButton label={texts.dismiss} icon="close" onClick={onClose} />
    </div>
  )
}
