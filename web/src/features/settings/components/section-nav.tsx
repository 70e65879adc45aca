import type { ReactNode } from 'react'
import { focusElement } from '../lib/focus-element'

type SectionLink = { id: string; label: string }

export function SectionNav({ stops }: { stops: readonly SectionLink[] }) {
  return (
    <nav aria-label="On this page" className="lg:hidden">
      <ul className="flex flex-wrap gap-2">
        {stops.map(({ id, label }) => (
          <li key={id}>
            <button
              type="button"
              className="min-h-11 cursor-pointer rounded-full border border-primary/30 px-4 text-note font-semibold hover:bg-primary/8"
              onClick={() => focusElement(id)}
            >
              {label}
            </button>
          </li>
        ))}
      </ul>
    </nav>
  )
}

/** Where a jump ends; the keyboard goes on from there. */
export function SectionAnchor({ id, children }: { id: string; children: ReactNode }) {
  return (
    <div id={id} tabIndex={-1} className="min-w-0 scroll-mt-20 outline-none empty:hidden">
      {children}
    </div>
  )
}
