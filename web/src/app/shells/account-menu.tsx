// The header's menu: who is signed in, how it looks, the org's own public form.
import { useEffect, useRef, useState } from 'react'
import { IconButton } from '@/ui/button'
import { AccountPanel } from './account-panel'

export function AccountMenu() {
  const [isOpen, setIsOpen] = useState(false)
  const box = useRef<HTMLDivElement>(null)

  useEffect(() => {
    if (!isOpen) return
    const closeOutside = (event: Event) => {
      if (event.target instanceof Node && !box.current?.contains(event.target)) setIsOpen(false)
    }
    const closeOnEscape = (event: KeyboardEvent) => {
      if (event.key !== 'Escape') return
      setIsOpen(false)
      box.current?.querySelector('button')?.focus()
    }
    document.addEventListener('pointerdown', closeOutside)
    document.addEventListener('focusin', closeOutside)
    document.addEventListener('keydown', closeOnEscape)
    return () => {
      document.removeEventListener('pointerdown', closeOutside)
      document.removeEventListener('focusin', closeOutside)
      document.removeEventListener('keydown', closeOnEscape)
    }
  }, [isOpen])

  return (
    <div ref={box} className="relative">
      <IconButton label="Account and display" icon="user" aria-expanded={isOpen} aria-controls="account-menu" onClick={() => setIsOpen(!isOpen)} />
      {isOpen && (
        <div id="account-menu" className="glass-sheet absolute bg-base-100! top-full right-0 z-40 mt-2 w-80 max-w-[calc(100vw-2rem)] rounded-box p-4 shadow-xl">
          <AccountPanel />
        </div>
      )}
    </div>
  )
}
