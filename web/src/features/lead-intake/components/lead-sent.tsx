import { useEffect, useRef } from 'react'
import type { Schema } from '@/api/client'
import { Icon } from '@/ui/icon'
import { leadMessages } from '../messages'

export function LeadSent({ sent }: { sent: Schema['Created'] }) {
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => {
    box.current?.focus()
    box.current?.scrollIntoView({ block: 'center' })
  }, [])
  return (
    <div
      ref={box}
      tabIndex={-1}
      className="glass-card mb-5 grid justify-items-center gap-2 border-success/45! p-6 text-center"
    >
      <Icon name="check-circle" className="size-12 text-success" />
      <h2 className="text-section">{leadMessages.success.title}</h2>
      <p>{leadMessages.success.description(sent)}</p>
      <p className="text-muted">
        Your reference: <strong className="text-base-content tabular-nums">{sent.reference}</strong>
      </p>
      {sent.photosLeftOut && <p>{sent.photosLeftOut}</p>}
    </div>
  )
}
