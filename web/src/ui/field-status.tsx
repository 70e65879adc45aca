// What became of a field that saves by itself: a mark beside its label.
import { createContext, type ReactNode, use, useEffect } from 'react'
import { Icon } from './icon'

/** How a field is named and its value read where a change is reported. */
export type FieldDescription = { label: string; show: (value: unknown) => string }

export type FieldStatusHost = {
  describe: (name: string, description: FieldDescription) => void
  /** What was saved last, by field. */
  saved: Readonly<Record<string, string>>
}

const FieldStatusContext = createContext<FieldStatusHost | null>(null)

export function FieldStatusProvider({ host, children }: { host: FieldStatusHost; children: ReactNode }) {
  return <FieldStatusContext value={host}>{children}</FieldStatusContext>
}

const showPlain = (value: unknown) => (typeof value === 'string' || typeof value === 'number' ? String(value) : '')

type FieldStatusProps = { name: string; label: string; show?: (value: unknown) => string }

/** Empty outside a form that saves by itself. */
export function FieldStatus({ name, label, show = showPlain }: FieldStatusProps) {
  const host = use(FieldStatusContext)
  useEffect(() => {
    host?.describe(name, { label, show })
  })
  const saved = host?.saved[name]
  if (saved === undefined) return null
  return (
    <span className="inline-flex min-w-0 items-center gap-1 text-caption font-normal text-success">
      <Icon name="check" className="size-4" />
      <span className="min-w-0 wrap-anywhere">{saved}</span>
    </span>
  )
}
