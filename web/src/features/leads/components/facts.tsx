// Names and values, one under the other on phones, side by side where there is room.
import type { ReactNode } from 'react'

export function Facts({ children }: { children: ReactNode }) {
  return <dl className="grid gap-3">{children}</dl>
}

type FactProps = { label: string; children: ReactNode }

export function Fact({ label, children }: FactProps) {
  return (
    <div className="grid gap-0.5 sm:grid-cols-[8.5rem_minmax(0,1fr)] sm:gap-3">
      <dt className="text-note text-muted sm:pt-0.5">{label}</dt>
      <dd className="min-w-0 break-words">{children}</dd>
    </div>
  )
}
