// Names and values, side by side.
import type { ReactNode } from 'react'

export function DescriptionList({ children }: { children: ReactNode }) {
  return <dl className="grid gap-2">{children}</dl>
}

type DescriptionItemProps = { label: string; children: ReactNode }

export function DescriptionItem({ label, children }: DescriptionItemProps) {
  return (
    <div className="grid grid-cols-[6.75rem_minmax(0,1fr)] gap-3 sm:grid-cols-[8.5rem_minmax(0,1fr)]">
      <dt className="text-note pt-0.5 text-muted">{label}</dt>
      <dd className="min-w-0 wrap-anywhere">{children}</dd>
    </div>
  )
}
