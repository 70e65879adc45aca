// Words that stay folded away until they are asked for.
import type { ReactNode } from 'react'
import { Icon } from './icon'

type DisclosureProps = {
  summary: string
  children: ReactNode
  /** Begins unfolded, and unfolds when this comes to be true. */ isOpen?: boolean
}

/** The summary's touch target is higher than its words: the room above and below them is part of it. */
export function Disclosure({ summary, children, isOpen = false }: DisclosureProps) {
  return (
    <details open={isOpen || undefined} className="group -mb-3 open:mb-0">
      <summary className="flex min-h-11 w-fit cursor-pointer list-none items-center gap-1.5 rounded-field pr-3 text-note font-semibold text-primary [&::-webkit-details-marker]:hidden">
        <Icon name="chevron-down" className="size-4 transition-transform duration-[120ms] group-open:rotate-180" />
        {summary}
      </summary>
      {children}
    </details>
  )
}
